// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions: moves fragments between the registers of a warp and memory.
#include <algorithm>
#include <cstring>
#include <vector>

#include "interp/arithmetic/conversion.h"
#include "interp/machine.h"
#include "interp/matrix_sparse.h"

namespace ptxopt::interp {

namespace {

constexpr int kSide = 8;  // of the matrices of ldmatrix, stmatrix and movmatrix
constexpr std::uint32_t kRowBytes = 16;
using Tile = std::array<std::array<std::uint16_t, kSide>, kSide>;

// A sparse product, or one with block scales.
template <class Threads>
void multiplySelected(const Threads& threads, const MatrixForm& form, MatrixValues& values) {
  Metadata metadata{};
  if (form.isSparse) {
    for (const auto& thread : threads) {
      metadata[thread.lane()] = static_cast<std::uint32_t>(thread.frame[form.metadata]);
    }
  }
  const ScaleForm& scales = form.scales;
  if (scales.columns == 0) return multiplySparse(form, values, metadata);
  const auto gather = [&](MatrixRole role, int lines, std::uint32_t data, std::uint32_t byteId,
                          std::uint32_t threadId) {
    const auto selected = [&](std::uint32_t slot) {
      return static_cast<std::uint32_t>(threads[0].frame[slot]);
    };
    std::vector<double> result;
    for (int line = 0; line < lines; ++line) {
      for (int column = 0; column < scales.columns; ++column) {
        const ScalePlace at = scalePlace(role, line, column, selected(byteId), selected(threadId));
        const Slot word = threads[at.lane].frame[data];
        result.push_back(scaleOf(scales.isE4M3, static_cast<std::uint32_t>(word >> 8 * at.byte)));
      }
    }
    return result;
  };
  multiplyScaled(form, values, metadata,
                 {gather(MatrixRole::A, form.shape.m, scales.a, scales.byteA, scales.threadA),
                  gather(MatrixRole::B, form.shape.n, scales.b, scales.byteB, scales.threadB)});
}

}  // namespace

void Machine::runMatrix(Cta& cta, std::uint32_t warp, const Op& op) {
  const std::span<Thread> threads = lanesOf(cta, warp);
  switch (static_cast<CollectiveKind>(op.detail)) {
    case CollectiveKind::MatrixLoad:
      return loadTiles(threads, op);
    case CollectiveKind::MatrixStore:
      return storeTiles(threads, op);
    case CollectiveKind::MatrixTranspose:
      return transposeTile(threads, op);
    case CollectiveKind::FragmentLoad:
    case CollectiveKind::FragmentStore:
      return moveFragment(threads, op);
    default:
      return multiplyFragments(threads, op);
  }
}

void Machine::multiplyFragments(std::span<Thread> threads, const Op& op) {
  const MatrixForm& form = threads[0].code->matrices[op.index];
  MatrixValues values;
  const int products = form.isQuad ? 4 : 1;
  values.d.resize(static_cast<std::size_t>(form.shape.m * form.shape.n * products));
  const auto visit = [&](MatrixRole role, auto action) {
    const int columns = form.columns(role);
    const int bits = bitsOf(form.element(role));
    const auto& slots = form.slotsOf(role);
    for (Thread& thread : threads) {
      for (int r = 0; r < static_cast<int>(slots.size()); ++r) {
        Slot& slot = thread.frame[slots[static_cast<std::size_t>(r)]];
        for (int j = 0; j < perRegister(form.element(role)); ++j) {
          const MatrixPosition at = positionOf(form, role, static_cast<int>(thread.lane()), r, j);
          action(slot, j * bits, bits, static_cast<std::size_t>(at.row * columns + at.column));
        }
      }
    }
  };
  const auto gather = [&](MatrixRole role, std::vector<std::uint64_t>& to) {
    to.resize(static_cast<std::size_t>(form.shape.rows(role) * form.columns(role) * products));
    visit(role, [&](Slot slot, int shift, int bits, std::size_t at) {
      to[at] = truncated(slot >> shift, bits);
    });
  };
  gather(MatrixRole::A, values.a);
  gather(MatrixRole::B, values.b);
  gather(MatrixRole::C, values.c);
  if (form.isQuad) {
    multiplyQuads(form, values);
  } else if (form.isSparse || form.scales.columns != 0) {
    multiplySelected(threads, form, values);
  } else {
    multiply(form, values);
  }
  visit(MatrixRole::D, [&](Slot& slot, int shift, int bits, std::size_t at) {
    const Slot mask = truncated(~Slot{0}, bits);
    slot = shift == 0 ? values.d[at] : (slot & ~(mask << shift)) | values.d[at] << shift;
  });
}

Machine::FragmentLines Machine::linesOf(const Thread& thread, const Op& op) {
  const MatrixForm& form = thread.code->matrices[op.index];
  const int bits = bitsOf(form.element(form.moved));
  const int rows = form.shape.rows(form.moved);
  const int columns = form.shape.columns(form.moved);
  const int lines = form.isColumnMajor ? columns : rows;
  const int length = form.isColumnMajor ? rows : columns;
  const std::uint64_t stride =
      op.b != 0 ? thread.frame[op.b] & 0xffffffffu : static_cast<std::uint64_t>(length);
  return {static_cast<std::uint32_t>(lines), static_cast<std::uint32_t>(length * bits / 8),
          stride * static_cast<std::uint64_t>(bits) / 8};
}

// Memory contains one line after the other, rows or columns, `stride` elements apart.  The manual
// does not say which thread accesses which bytes, so here it differs between runs.
void Machine::moveFragment(std::span<Thread> threads, const Op& op) {
  const Thread& first = threads[0];
  const MatrixForm& form = first.code->matrices[op.index];
  const MatrixRole role = form.moved;
  const bool stores = static_cast<CollectiveKind>(op.detail) == CollectiveKind::FragmentStore;
  const int bits = bitsOf(form.element(role));
  const FragmentLines fragment = linesOf(first, op);
  const auto lines = static_cast<int>(fragment.count);
  const std::uint32_t lineBytes = fragment.bytes;
  const auto length = static_cast<int>(lineBytes) * 8 / bits;
  const std::uint64_t base = addressOf(first, op);
  const std::uint64_t stride = fragment.stride;
  for (const Thread& thread : threads) {
    if (addressOf(thread, op) != base) {
      fault(FindingKind::BarrierDivergence, op, "the threads of a warp give different addresses");
    }
  }
  // The bytes of all lines, concatenated.
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(lines) * lineBytes);
  const auto visit = [&](auto action) {
    const auto& slots = form.slotsOf(role);
    for (Thread& thread : threads) {
      for (int r = 0; r < static_cast<int>(slots.size()); ++r) {
        for (int j = 0; j < perRegister(form.element(role)); ++j) {
          const MatrixPosition at = positionOf(form, role, static_cast<int>(thread.lane()), r, j);
          const int line = form.isColumnMajor ? at.column : at.row;
          const int place = form.isColumnMajor ? at.row : at.column;
          const auto bit = static_cast<std::size_t>((line * length + place) * bits);
          action(thread.frame[slots[static_cast<std::size_t>(r)]], j * bits, bit);
        }
      }
    }
  };
  if (stores) {
    visit([&](Slot slot, int shift, std::size_t bit) {
      const Slot value = truncated(slot >> shift, bits);
      if (bits >= 8) {
        std::memcpy(&bytes[bit / 8], &value, static_cast<std::size_t>(bits) / 8);
      } else {
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | value << bit % 8);
      }
    });
  }
  constexpr std::uint32_t kPiece = 16;
  const std::uint32_t piece = std::min(kPiece, lineBytes);
  std::size_t who = scheduler_->random(threads.size());
  for (int line = 0; line < lines; ++line, ++who) {
    Thread& thread = threads[who % threads.size()];
    for (std::uint32_t at = 0; at < lineBytes; at += piece) {
      const std::uint64_t address = base + static_cast<std::uint64_t>(line) * stride + at;
      const Place place = resolve(thread, op, op.space, address, piece, stores);
      if (place.segment != nullptr && options_.detectsRaces) {
        check(thread, op, place, piece, stores, false);
      }
      std::uint8_t* const here = bytes.data() + static_cast<std::size_t>(line) * lineBytes + at;
      if (stores) {
        std::memcpy(place.data, here, piece);
      } else {
        std::memcpy(here, place.data, piece);
      }
    }
  }
  if (!stores) {
    visit([&](Slot& slot, int shift, std::size_t bit) {
      Slot value = 0;
      std::memcpy(&value, &bytes[bit / 8],
                  std::max<std::size_t>(static_cast<std::size_t>(bits), 8) / 8);
      value = truncated(value >> bit % 8, bits);
      slot = shift == 0 ? value : slot | value << shift;
    });
  }
}

// The address of a row is that of the lane with its number.  The row is accessed by the warp, and
// the manual does not say by which thread which bytes are, so here it differs between runs: the
// thread after number `first`.
Machine::Place Machine::resolveRow(std::span<Thread> threads, const Op& op, std::uint32_t row,
                                   std::uint32_t used, std::uint64_t first) {
  Thread& naming = threads[row];
  const bool stores = static_cast<CollectiveKind>(op.detail) == CollectiveKind::MatrixStore;
  const Place place = resolve(naming, op, op.space, addressOf(naming, op), kRowBytes, stores);
  if (place.segment != nullptr && options_.detectsRaces) {
    check(threads[(first + row) % threads.size()], op, place, used, stores, false);
  }
  return place;
}

// Lane 8 m + r provides the address of row r of matrix m; every lane gets two adjacent elements of
// a row, or of a column if it is transposed.
void Machine::loadTiles(std::span<Thread> threads, const Op& op) {
  const MatrixForm& form = threads[0].code->matrices[op.index];
  if (form.tile.shape != TileShape::M8N8) return moveByteTiles(threads, op);
  const auto& slots = form.slotsOf(MatrixRole::D);
  const std::uint64_t first = scheduler_->random(threads.size());
  for (std::uint32_t matrix = 0; matrix < slots.size(); ++matrix) {
    Tile tile;
    for (std::uint32_t row = 0; row < kSide; ++row) {
      const Place place = resolveRow(threads, op, matrix * kSide + row, kRowBytes, first);
      std::memcpy(tile[row].data(), place.data, kRowBytes);
    }
    for (Thread& thread : threads) {
      const std::uint32_t g = thread.lane() / 4;
      const std::uint32_t t = thread.lane() % 4 * 2;
      const bool transposed = op.is(kSecond);
      const std::uint32_t low = transposed ? tile[t][g] : tile[g][t];
      const std::uint32_t high = transposed ? tile[t + 1][g] : tile[g][t + 1];
      thread.frame[slots[matrix]] = low | high << 16;
    }
  }
}

// The matrix in two registers of a warp, in the same order.
namespace {

template <class Threads>
Tile tileOf(const Threads& threads, std::uint32_t slot, bool transposed) {
  Tile tile;
  for (const auto& thread : threads) {
    const std::uint32_t g = thread.lane() / 4;
    const std::uint32_t t = thread.lane() % 4 * 2;
    const Slot value = thread.frame[slot];
    for (std::uint32_t j = 0; j < 2; ++j) {
      const auto half = static_cast<std::uint16_t>(value >> (16 * j));
      (transposed ? tile[t + j][g] : tile[g][t + j]) = half;
    }
  }
  return tile;
}

}  // namespace

void Machine::storeTiles(std::span<Thread> threads, const Op& op) {
  const MatrixForm& form = threads[0].code->matrices[op.index];
  if (form.tile.shape != TileShape::M8N8) return moveByteTiles(threads, op);
  const auto& slots = form.slotsOf(MatrixRole::D);
  const std::uint64_t first = scheduler_->random(threads.size());
  for (std::uint32_t matrix = 0; matrix < slots.size(); ++matrix) {
    const Tile tile = tileOf(threads, slots[matrix], op.is(kSecond));
    for (std::uint32_t row = 0; row < kSide; ++row) {
      const Place place = resolveRow(threads, op, matrix * kSide + row, kRowBytes, first);
      std::memcpy(place.data, tile[row].data(), kRowBytes);
    }
  }
}

// ldmatrix and stmatrix of elements below 16 bits.
void Machine::moveByteTiles(std::span<Thread> threads, const Op& op) {
  const MatrixForm& form = threads[0].code->matrices[op.index];
  const TileForm& tile = form.tile;
  const auto& slots = form.slotsOf(MatrixRole::D);
  const bool stores = static_cast<CollectiveKind>(op.detail) == CollectiveKind::MatrixStore;
  const std::uint64_t first = scheduler_->random(threads.size());
  for (std::uint32_t matrix = 0; matrix < slots.size() / tile.registers(); ++matrix) {
    std::vector<Place> places;
    std::vector<TileRow> rows(tile.rows());
    for (std::uint32_t row = 0; row < tile.rows(); ++row) {
      places.push_back(
          resolveRow(threads, op, matrix * tile.rows() + row, tile.usedBytes(), first));
      if (stores) continue;
      std::memcpy(rows[row].data(), places[row].data, kRowBytes);
      rows[row] = unpackRow(tile, rows[row]);
    }
    for (Thread& thread : threads) {
      for (std::uint32_t r = 0; r < tile.registers(); ++r) {
        Slot& slot = thread.frame[slots[matrix * tile.registers() + r]];
        Slot word = 0;
        for (std::uint32_t j = 0; j < 4; ++j) {
          const TileByte at = tileByteOf(tile.shape, thread.lane(), r, j);
          std::uint8_t& byte = rows[at.row][at.byte];
          if (stores) byte = static_cast<std::uint8_t>(slot >> 8 * j);
          word |= Slot{byte} << 8 * j;
        }
        slot = word;
      }
    }
    if (!stores) continue;
    for (std::uint32_t row = 0; row < tile.rows(); ++row) {
      std::memcpy(places[row].data, rows[row].data(), kRowBytes);
    }
  }
}

void Machine::transposeTile(std::span<Thread> threads, const Op& op) {
  const Tile tile = tileOf(threads, op.a, true);
  for (Thread& thread : threads) {
    const std::uint32_t g = thread.lane() / 4;
    const std::uint32_t t = thread.lane() % 4 * 2;
    thread.frame[op.d] = tile[g][t] | static_cast<std::uint32_t>(tile[g][t + 1]) << 16;
  }
}

}  // namespace ptxopt::interp
