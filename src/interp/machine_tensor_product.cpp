// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.mma in a machine (PTX ISA 9.7.18.10.9).  What a product reads and writes is checked and
// recorded at its issue; it is computed later, all at once.
#include <algorithm>

#include "interp/machine_tensor_core.h"
#include "support/hexadecimal.h"

namespace ptxopt::interp {

namespace {

constexpr int kParts = TensorMemory::kLanes / 32;

// The lane of a row of A in tensor memory, from the first lane on.
std::uint32_t laneOfRow(DataPath path, int row) {
  return wordOf(path, row, 0, 1).lane;
}

}  // namespace

struct Machine::TensorCores::Product {
  Thread* thread = nullptr;
  const Op* op = nullptr;
  const ProductForm* form = nullptr;
  InstructionDescriptor descriptor;
  DataPath path = DataPath::Full;
  std::vector<Cta*> ctas;
  std::optional<MatrixDescriptor> a;  // none: A is in tensor memory, at
  TensorWord firstA;
  MatrixDescriptor b{0};
  TensorWord d;
  TensorWord scalesA;
  TensorWord scalesB;
  TensorWord metadata;  // its first word, in lane 0
  bool accumulates = false;
  std::vector<std::uint32_t> disabled;  // a bit for each lane of each CTA
  ZeroColumns zeroColumns;
  const Undefined* why = nullptr;  // null: nothing undefined is read

  int parts() const { return static_cast<int>(ctas.size()); }
  Multiplicand multiplicandA() const {
    return {descriptor.a,
            form->context.isPacked(),
            !descriptor.isATransposed,
            descriptor.m / parts(),
            form->context.isSparse ? descriptor.k / 2 : descriptor.k,
            0};
  }
  Multiplicand multiplicandB() const {
    return {
        descriptor.b, form->context.isPacked(), !descriptor.isBTransposed, descriptor.n / parts(),
        descriptor.k, zeroColumns.shift};
  }
  bool updates(std::size_t cta, std::uint32_t lane) const {
    const std::size_t bit = cta * TensorMemory::kLanes + lane;
    return disabled.empty() || (disabled[bit / 32] >> bit % 32 & 1) == 0;
  }
};

// ---- issue --------------------------------------------------------------------------------------

std::shared_ptr<Machine::TensorCores::Product> Machine::TensorCores::makeProduct(
    Thread& thread, const Op& op, const TensorCoreForm& form) {
  auto product = std::make_shared<Product>();
  const Frame r = thread.frame;
  const auto refuse = [&](FindingKind kind, const std::string& what) {
    machine_->fault(kind, op, what + ", by " + describe(machine_->nameOf(thread)));
  };
  product->thread = &thread;
  product->op = &op;
  product->form = &form.product;
  const auto bits = static_cast<std::uint32_t>(r[form.product.instruction]);
  const auto decoded = decodeInstruction(bits, form.product.context);
  if (const std::string* const problem = std::get_if<std::string>(&decoded)) {
    refuse(FindingKind::TensorMemory,
           "the instruction descriptor " + hexadecimal(bits) + " " + *problem);
  }
  product->descriptor = std::get<InstructionDescriptor>(decoded);
  product->path = dataPathOf(product->descriptor, form.product.context);
  product->ctas = pairOf(thread, op, form.product.context.ctas);
  product->b = matrixAt(thread, op, form.product.descriptorB);
  const auto wordAt = [&](const AddressOperand& address) {
    return TensorWord::at(static_cast<std::uint32_t>(address.in(r)));
  };
  product->d = wordAt(form.address);
  if (form.product.descriptorA != 0) {
    product->a = matrixAt(thread, op, form.product.descriptorA);
  } else {
    product->firstA = wordAt(form.product.a);
  }
  if (form.product.context.hasScales()) {
    product->scalesA = wordAt(form.product.scalesA);
    product->scalesB = wordAt(form.product.scalesB);
  }
  if (form.product.context.isSparse) {
    product->metadata = wordAt(form.product.metadata);
    product->metadata.column += static_cast<std::uint32_t>(product->descriptor.sparsitySelector);
  }
  product->accumulates = r[form.product.accumulates] != 0;
  for (const std::uint32_t slot : form.product.disabledLanes) {
    product->disabled.push_back(static_cast<std::uint32_t>(r[slot]));
  }
  if (form.product.zeroColumns != 0) {
    const std::uint64_t mask = r[form.product.zeroColumns];
    const auto columns = decodeZeroColumns(mask, product->descriptor.m, product->descriptor.n);
    if (const std::string* const problem = std::get_if<std::string>(&columns)) {
      refuse(FindingKind::TensorMemory,
             "the zero-column mask " + hexadecimal(mask) + " " + *problem);
    }
    product->zeroColumns = std::get<ZeroColumns>(columns);
  }
  checkPlaces(*product);
  return product;
}

// The CTA of the thread or, for two, those of which the ranks differ in the last bit.
std::vector<Machine::Cta*> Machine::TensorCores::pairOf(const Thread& thread, const Op& op,
                                                        int count) const {
  if (count == 1) return {thread.cta};
  const auto& ctas = thread.cta->cluster->ctas;
  const std::size_t first = thread.cta->rank & ~1u;
  if (first + 1 >= ctas.size()) {
    machine_->fault(FindingKind::TensorMemory, op,
                    "an operation of two CTAs in a CTA that has no peer, by " +
                        describe(machine_->nameOf(thread)));
  }
  return {ctas[first].get(), ctas[first + 1].get()};
}

void Machine::TensorCores::checkPlaces(const Product& product) const {
  const auto refuse = [&](FindingKind kind, const std::string& what) {
    machine_->fault(kind, *product.op,
                    what + ", by " + describe(machine_->nameOf(*product.thread)));
  };
  const bool isHalf = product.path == DataPath::Half;
  const auto checkLane = [&](const char* what, const TensorWord& word) {
    if (word.lane == 0 || (isHalf && word.lane == 16)) return;
    refuse(FindingKind::Misaligned,
           std::string(what) + " begins at lane " + std::to_string(word.lane) +
               " of tensor memory, which must be 0" + (isHalf ? " or 16" : ""));
  };
  checkLane("D", product.d);
  const bool isStored = !product.a.has_value();
  if (isStored && product.firstA.lane != product.d.lane) {
    refuse(FindingKind::Misaligned, "A begins at lane " + std::to_string(product.firstA.lane) +
                                        " of tensor memory, and D at lane " +
                                        std::to_string(product.d.lane));
  }
  if (product.form->context.hasScales()) {
    if (product.path != DataPath::Full) {
      refuse(FindingKind::Unsupported, "where 64 rows of a CTA have their scales is not known");
    }
    checkLane("the matrix of scales of A", product.scalesA);
    checkLane("the matrix of scales of B", product.scalesB);
  }
  if (product.form->context.isSparse) checkMetadata(product);
  const InstructionDescriptor& descriptor = product.descriptor;
  const bool isFolded = product.path == DataPath::Folded || product.path == DataPath::FoldedTwo;
  const bool isPadded = bitsInMemory(descriptor.a) < 8 && !product.form->context.isPacked();
  if (isStored && (isFolded || isPadded || descriptor.isATransposed)) {
    refuse(FindingKind::Unsupported, "the place in tensor memory of a matrix A " +
                                         std::string(isFolded   ? "with two or four copies"
                                                     : isPadded ? "of less than 8 bits"
                                                                : "that is transposed") +
                                         " is not known");
  }
  const auto checkSwizzle = [&](const MatrixDescriptor& matrix, Element element,
                                bool isTransposed) {
    const bool isWide = matrix.chunkBytes != MatrixDescriptor::kPieceBytes;
    if (isWide == (isTransposed && bitsInMemory(element) == 32)) return;
    refuse(isTransposed ? FindingKind::TensorMemory : FindingKind::Unsupported,
           std::string(isTransposed ? "a transposed" : "a") + " matrix of " +
               std::to_string(bitsInMemory(element)) + " bits " + (isWide ? "with" : "without") +
               " a swizzle of 128 bytes in chunks of 32");
  };
  if (product.a) checkSwizzle(*product.a, descriptor.a, descriptor.isATransposed);
  checkSwizzle(product.b, descriptor.b, descriptor.isBTransposed);
}

// The manual shows the layouts in figures only.  These are those of CUTLASS and of Pallas.
void Machine::TensorCores::checkMetadata(const Product& product) const {
  const auto refuse = [&](FindingKind kind, const std::string& what) {
    machine_->fault(kind, *product.op,
                    what + ", by " + describe(machine_->nameOf(*product.thread)));
  };
  if (product.path != DataPath::Full) {
    refuse(FindingKind::Unsupported, "where 64 rows of a CTA have their metadata is not known");
  }
  if (product.metadata.lane != 0) {
    refuse(FindingKind::Misaligned, "the metadata begins at lane " +
                                        std::to_string(product.metadata.lane) +
                                        " of tensor memory, which must be 0");
  }
  const auto selector = static_cast<std::uint32_t>(product.descriptor.sparsitySelector);
  const bool isSelected = metadataColumns(product.form->context.kind) == 1;
  if (!isSelected && selector != 0) {
    refuse(FindingKind::TensorMemory,
           "a sparsity selector that must be 0 is " + std::to_string(selector));
  }
  const std::uint32_t alignment = selector > 1 ? 4 : 2;
  if ((product.metadata.column - selector) % alignment != 0) {
    refuse(FindingKind::Unsupported,
           "what a sparsity selector of " + std::to_string(selector) + " means at column " +
               std::to_string(product.metadata.column - selector) + " is not known");
  }
}

void Machine::TensorCores::issueProduct(Thread& thread, const Op& op, const TensorCoreForm& form) {
  machine_->depend(thread, op, originOf(thread, form.product.slots()), "the operation here");
  const std::shared_ptr<Product> product = makeProduct(thread, op, form);
  Issuer& issuer = takeOver(thread);
  begin(thread, issuer.sources, {&issuer.copies, &issuer.shifts});
  inherit(issuer, issuer.sources, {&Handover::copies, &Handover::shifts});
  recordSources(*product, issuer.sources);
  if (form.product.context.isSparse) recordMetadata(*product, issuer.sources);
  if (form.product.context.hasScales()) recordScales(*product, issuer.sources);
  const InstructionDescriptor& descriptor = product->descriptor;
  const Accumulator accumulator{product->d.address(), static_cast<std::uint32_t>(descriptor.m),
                                static_cast<std::uint32_t>(descriptor.n)};
  ThreadClock& agent = issuer.accumulators[accumulator];
  begin(thread, agent, {&issuer.sources});
  inheritAccumulator(issuer, agent, accumulator);
  recordResult(*product, agent);
  Operation operation;
  operation.perform = [this, product] { perform(*product); };
  enqueue(thread, std::move(operation));
}

template <class Visit>
void Machine::TensorCores::forPieces(const Product& product, bool isA, Cta& cta, Visit visit) {
  const Multiplicand matrix = isA ? product.multiplicandA() : product.multiplicandB();
  const PieceGrid grid = matrix.grid();
  const bool isShared = !isA || product.a.has_value();
  for (std::uint32_t line = 0; line < grid.lines; ++line) {
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
      if (isShared) {
        const MatrixDescriptor& from = isA ? *product.a : product.b;
        // A large number if it is below.
        visit(cta.shared, addressOfPiece(from, grid.isKMajor, grid.firstLine + line,
                                         grid.firstColumn + column) -
                              kSharedBase);
        continue;
      }
      const std::uint32_t lane = laneOfRow(product.path, static_cast<int>(line));
      const TensorWord word{product.firstA.lane + lane,
                            product.firstA.column + column * kPieceColumns};
      visit(memoryOf(cta).words.segment(), TensorMemory::offsetOf(word));
    }
  }
}

template <class Visit>
void Machine::TensorCores::forRows(const Product& product, std::size_t cta, Visit visit) {
  const int n = product.descriptor.n;
  const int columns = columnsOf(product.path, n);
  for (int row = 0; row < product.descriptor.m / product.parts(); ++row) {
    for (int column = 0; column < n; column += columns) {
      TensorWord word = wordOf(product.path, row, column, n);
      word.lane += product.d.lane;
      word.column += product.d.column;
      if (product.updates(cta, word.lane)) visit(word, row, column, columns);
    }
  }
}

// visit(memory, word, number in ProductTerms::d) for the words of D that the product updates.
template <class Visit>
void Machine::TensorCores::forResults(const Product& product, Visit visit) {
  const int rows = product.descriptor.m / product.parts();
  for (std::size_t k = 0; k < product.ctas.size(); ++k) {
    TensorMemory& memory = memoryOf(*product.ctas[k]).words;
    forRows(product, k, [&](TensorWord word, int row, int column, int columns) {
      const int first = (static_cast<int>(k) * rows + row) * product.descriptor.n + column;
      for (int j = 0; j < columns; ++j, ++word.column) {
        visit(memory, word, static_cast<std::size_t>(first + j));
      }
    });
  }
}

// visit(word, row of A or column of B, which 32 lanes) for all words with scales that the CTA
// reads. Each 32 lanes have copies of all, and the rows of D that are there use these.
template <class Visit>
void Machine::TensorCores::forScales(const Product& product, bool isA, Visit visit) {
  const TensorWord& first = isA ? product.scalesA : product.scalesB;
  const int count = isA ? product.descriptor.m / product.parts() : product.descriptor.n;
  for (int part = 0; part < kParts; ++part) {
    const int begin = isA ? 32 * part : 0;
    const int end = isA ? begin + 32 : count;
    for (int k = begin; k < end; ++k) {
      const auto lane = static_cast<std::uint32_t>(32 * part + k % 32);
      visit(TensorWord{lane, first.column + static_cast<std::uint32_t>(k / 32)}, k, part);
    }
  }
}

void Machine::TensorCores::recordScales(Product& product, ThreadClock& agent) {
  for (const bool isA : {true, false}) {
    for (Cta* const cta : product.ctas) {
      Segment& words = memoryOf(*cta).words.segment();
      forScales(product, isA, [&](const TensorWord& word, int, int) {
        checkAllocated(*product.thread, *product.op, *cta, word, 1, "read");
        record(*product.thread, *product.op, agent,
               {&words, TensorMemory::offsetOf(word), TensorMemory::kWordBytes, false});
      });
    }
  }
}

// visit(word) for all words with metadata, lane by lane.
template <class Visit>
void Machine::TensorCores::forMetadata(const Product& product, Visit visit) {
  const int columns = metadataColumns(product.form->context.kind);
  for (std::uint32_t lane = 0; lane < TensorMemory::kLanes; ++lane) {
    for (int k = 0; k < columns; ++k) {
      visit(TensorWord{lane, product.metadata.column + static_cast<std::uint32_t>(k)});
    }
  }
}

void Machine::TensorCores::recordMetadata(Product& product, ThreadClock& agent) {
  for (Cta* const cta : product.ctas) {
    Segment& words = memoryOf(*cta).words.segment();
    forMetadata(product, [&](const TensorWord& word) {
      checkAllocated(*product.thread, *product.op, *cta, word, 1, "read");
      record(*product.thread, *product.op, agent,
             {&words, TensorMemory::offsetOf(word), TensorMemory::kWordBytes, false});
    });
  }
}

void Machine::TensorCores::recordSources(Product& product, ThreadClock& agent) {
  Thread& thread = *product.thread;
  const Op& op = *product.op;
  for (const bool isA : {true, false}) {
    const MatrixDescriptor* const matrix = !isA ? &product.b : (product.a ? &*product.a : nullptr);
    const char* const name = isA ? "of matrix A " : "of matrix B ";
    const PieceGrid grid = (isA ? product.multiplicandA() : product.multiplicandB()).grid();
    if (matrix != nullptr) checkStrides(thread, op, *matrix, grid, name);
    for (Cta* const cta : product.ctas) {
      if (matrix == nullptr) checkStored(product, *cta, grid);
      forPieces(product, isA, *cta, [&](Segment& segment, std::uint64_t offset) {
        if (matrix != nullptr) checkShared(thread, op, *cta, offset, name);
        record(thread, op, agent, {&segment, offset, kPieceBytes, false});
      });
    }
  }
}

void Machine::TensorCores::checkStored(const Product& product, const Cta& cta,
                                       const PieceGrid& grid) {
  for (std::uint32_t line = 0; line < grid.lines; ++line) {
    TensorWord word = product.firstA;
    word.lane += laneOfRow(product.path, static_cast<int>(line));
    checkAllocated(*product.thread, *product.op, cta, word, grid.columns * kPieceColumns, "read");
  }
}

void Machine::TensorCores::checkStrides(const Thread& thread, const Op& op,
                                        const MatrixDescriptor& matrix, const PieceGrid& grid,
                                        const char* name) const {
  const auto stride = findUnalignedStride(matrix, grid);
  if (!stride) return;
  machine_->fault(FindingKind::Misaligned, op,
                  std::string("the descriptor ") + name + "leads by " + std::to_string(*stride) +
                      " bytes from one swizzle pattern of " +
                      std::to_string(matrix.patternBytes()) + " bytes to the next, by " +
                      describe(machine_->nameOf(thread)));
}

void Machine::TensorCores::recordResult(Product& product, ThreadClock& agent) {
  for (std::size_t k = 0; k < product.ctas.size(); ++k) {
    const Cta& cta = *product.ctas[k];
    Segment& words = memoryOf(cta).words.segment();
    forRows(product, k, [&](const TensorWord& word, int, int, int columns) {
      const auto count = static_cast<std::uint32_t>(columns);
      checkAllocated(*product.thread, *product.op, cta, word, count, "write");
      record(*product.thread, *product.op, agent,
             {&words, TensorMemory::offsetOf(word), count * TensorMemory::kWordBytes, true});
    });
  }
}

// ---- execution ----------------------------------------------------------------------------------

std::vector<std::uint8_t> Machine::TensorCores::piecesOf(Product& product, bool isA, Cta& cta,
                                                         bool flipsUnwritten) {
  std::vector<std::uint8_t> pieces;
  forPieces(product, isA, cta, [&](Segment& segment, std::uint64_t offset) {
    const auto begin = segment.bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    pieces.insert(pieces.end(), begin, begin + kPieceBytes);
    noteUndefined(product, segment, offset, kPieceBytes);
    if (!flipsUnwritten) return;
    for (std::uint32_t k = 0; k < kPieceBytes; ++k) {
      if (!segment.written.test(offset + k)) pieces[pieces.size() - kPieceBytes + k] ^= 0xff;
    }
  });
  return pieces;
}

void Machine::TensorCores::noteUndefined(Product& product, Segment& segment, std::uint64_t offset,
                                         std::uint32_t size) {
  if (product.why != nullptr) return;
  const Place place{segment.bytes.data() + offset, &segment, offset};
  if (!machine_->isUndefined(place, size)) return;
  product.why = &machine_->originOf(*product.thread, *product.op, place, size);
}

void Machine::TensorCores::readAccumulators(Product& product, std::vector<double>& values,
                                            bool flipsUnwritten) {
  const Element element = product.descriptor.d;
  const auto bytes = static_cast<std::uint32_t>(bitsInMemory(element) / 8);
  const std::uint32_t mask = ~0u >> (32 - 8 * bytes);
  const double factor = 1.0 / static_cast<double>(1 << product.form->shift);
  forResults(product, [&](TensorMemory& memory, const TensorWord& word, std::size_t at) {
    Segment& segment = memory.segment();
    const std::uint64_t offset = TensorMemory::offsetOf(word);
    std::uint32_t bits = memory.read(word);
    noteUndefined(product, segment, offset, bytes);
    for (std::uint32_t i = 0; flipsUnwritten && i < bytes; ++i) {
      if (!segment.written.test(offset + i)) bits ^= 0xffu << (8 * i);
    }
    values[at] = numberOf(element, bits & mask) * factor;
  });
}

// ProductTerms::places of the rows of a CTA.
void Machine::TensorCores::addPlaces(Product& product, Cta& cta, std::vector<int>& places,
                                     bool flipsUnwritten) {
  TensorMemory& memory = memoryOf(cta).words;
  Segment& segment = memory.segment();
  MetadataWords words;
  forMetadata(product, [&](const TensorWord& word) {
    const std::uint64_t offset = TensorMemory::offsetOf(word);
    std::uint32_t bits = memory.read(word);
    noteUndefined(product, segment, offset, TensorMemory::kWordBytes);
    for (std::uint32_t i = 0; flipsUnwritten && i < TensorMemory::kWordBytes; ++i) {
      if (!segment.written.test(offset + i)) bits ^= 0xffu << (8 * i);
    }
    words.push_back(bits);
  });
  const Multiplicand a = product.multiplicandA();
  for (int row = 0; row < a.rows; ++row) {
    for (int index = 0; index < a.depth; ++index) {
      places.push_back(placeInRow(product.form->context, words, row, index));
    }
  }
}

std::vector<std::uint32_t> Machine::TensorCores::compute(Product& product, bool flipsUnwritten) {
  const InstructionDescriptor& descriptor = product.descriptor;
  const Multiplicand a = product.multiplicandA();
  const Multiplicand b = product.multiplicandB();
  ProductTerms terms;
  terms.m = descriptor.m;
  terms.n = descriptor.n;
  terms.depth = a.depth;
  terms.a.resize(static_cast<std::size_t>(terms.m * terms.depth));
  terms.b.resize(static_cast<std::size_t>(descriptor.k * terms.n));
  terms.d.resize(static_cast<std::size_t>(terms.m * terms.n));
  for (int part = 0; part < product.parts(); ++part) {
    Cta& cta = *product.ctas[static_cast<std::size_t>(part)];
    forElements(a, piecesOf(product, true, cta, flipsUnwritten), [&](int row, int k, double value) {
      terms.a[static_cast<std::size_t>((part * a.rows + row) * terms.depth + k)] =
          descriptor.negatesA ? -value : value;
    });
    forElements(b, piecesOf(product, false, cta, flipsUnwritten),
                [&](int column, int k, double value) {
                  terms.b[static_cast<std::size_t>(k * terms.n + part * b.rows + column)] =
                      descriptor.negatesB ? -value : value;
                });
    if (product.form->context.isSparse) addPlaces(product, cta, terms.places, flipsUnwritten);
  }
  const std::vector<bool>& isZero = product.zeroColumns.isZero;
  for (std::size_t at = 0; !isZero.empty() && at < terms.b.size(); ++at) {
    if (isZero[at % isZero.size()]) terms.b[at] = 0;
  }
  if (product.accumulates) readAccumulators(product, terms.d, flipsUnwritten);
  if (product.form->context.hasScales()) {
    multiplyScaled(product, terms, flipsUnwritten);
  } else {
    multiply(terms, 0, terms.m);
  }
  std::vector<std::uint32_t> result(terms.d.size());
  std::transform(terms.d.begin(), terms.d.end(), result.begin(),
                 [&](double value) { return resultOf(descriptor.d, value, descriptor.saturates); });
  return result;
}

std::vector<double> Machine::TensorCores::scalesOf(Product& product, bool isA, Cta& cta,
                                                   bool flipsUnwritten) {
  const auto count = static_cast<std::uint32_t>(product.form->context.scales);
  const int id = isA ? product.descriptor.scaleIdA : product.descriptor.scaleIdB;
  TensorMemory& memory = memoryOf(cta).words;
  Segment& segment = memory.segment();
  std::vector<double> scales;
  forScales(product, isA, [&](const TensorWord& word, int, int) {
    const std::uint64_t offset = TensorMemory::offsetOf(word) + static_cast<std::uint32_t>(id);
    noteUndefined(product, segment, offset, count);
    for (std::uint32_t k = 0; k < count; ++k) {
      std::uint32_t bits = segment.bytes[offset + k];
      if (flipsUnwritten && !segment.written.test(offset + k)) bits ^= 0xff;
      scales.push_back(interp::scaleOf(product.descriptor.scalesAreUE4M3, bits));
    }
  });
  return scales;
}

void Machine::TensorCores::multiplyScaled(Product& product, ProductTerms& terms,
                                          bool flipsUnwritten) {
  const int scales = product.form->context.scales;
  const int block = terms.depth / scales;
  const int depthOfB = product.descriptor.k;
  const int rows = terms.m / product.parts();
  const std::vector<double> plain = terms.b;
  for (int k = 0; k < product.parts(); ++k) {
    Cta& cta = *product.ctas[static_cast<std::size_t>(k)];
    const std::vector<double> ofA = scalesOf(product, true, cta, flipsUnwritten);
    const std::vector<double> ofB = scalesOf(product, false, cta, flipsUnwritten);
    for (int i = 0; i < rows * terms.depth; ++i) {
      terms.a[static_cast<std::size_t>(k * rows * terms.depth + i)] *=
          ofA[static_cast<std::size_t>(i / block)];
    }
    for (int part = 0; part < kParts; ++part) {
      for (int i = 0; i < depthOfB * terms.n; ++i) {
        const int column = part * terms.n + i % terms.n;
        const int scale = i / terms.n / (depthOfB / scales);
        const auto at = static_cast<std::size_t>(column * scales + scale);
        terms.b[static_cast<std::size_t>(i)] = plain[static_cast<std::size_t>(i)] * ofB[at];
      }
      multiply(terms, k * rows + 32 * part, 32);
    }
  }
}

void Machine::TensorCores::perform(Product& product) {
  const std::vector<std::uint32_t> result = compute(product, false);
  // Bits of the result that differ with the opposite of what is undefined are undefined themselves.
  const std::vector<std::uint32_t> twin =
      product.why != nullptr ? compute(product, true) : std::vector<std::uint32_t>{};
  forResults(product, [&](TensorMemory& memory, const TensorWord& word, std::size_t at) {
    memory.write(word, result[at]);
    if (twin.empty() || twin[at] == result[at]) return;
    Segment& segment = memory.segment();
    const std::uint64_t offset = TensorMemory::offsetOf(word);
    for (std::uint32_t i = 0; i < TensorMemory::kWordBytes; ++i) {
      if (((twin[at] ^ result[at]) >> (8 * i) & 0xff) == 0) continue;
      segment.written.reset(offset + i);
      machine_->undefinedBytes_[{&segment, offset + i}] = product.why;
    }
  });
}

}  // namespace ptxopt::interp
