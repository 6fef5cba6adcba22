// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/arena.h"

#include <sys/mman.h>

#include <memory>

namespace ptxopt {

namespace {
constexpr std::size_t kFirstBlock = std::size_t{64} << 10;
constexpr std::size_t kSmall = 4 * kFirstBlock;  // in all: the module is small
constexpr std::size_t kHugePage = std::size_t{2} << 20;
}  // namespace

ArenaBlocks::~ArenaBlocks() {
  for (const Block& block : blocks_) {
    ::operator delete (block.memory, std::align_val_t{block.alignment});
  }
}

void* ArenaBlocks::do_allocate(std::size_t bytes, std::size_t alignment) {
  const std::scoped_lock lock(mutex_);
  if (std::align(alignment, bytes, free_, left_) == nullptr) {
    addBlock(bytes);
    std::align(alignment, bytes, free_, left_);
  }
  void* const result = free_;
  free_ = static_cast<std::byte*>(free_) + bytes;
  left_ -= bytes;
  return result;
}

void ArenaBlocks::addBlock(std::size_t atLeast) {
  const std::size_t usual = total_ < kSmall ? std::max(total_, kFirstBlock) : kHugePage;
  std::size_t size = std::max(atLeast, usual);
  std::size_t alignment = alignof(std::max_align_t);
  if (size >= kHugePage) {
    size = (size + kHugePage - 1) / kHugePage * kHugePage;
    alignment = kHugePage;
  }
  Block& block = blocks_.emplace_back();
  block = {static_cast<std::byte*>(::operator new (size, std::align_val_t{alignment})), alignment};
  // Advice: without huge pages the memory is as good.
  if (alignment == kHugePage) ::madvise(block.memory, size, MADV_HUGEPAGE);
  total_ += size;
  free_ = block.memory;
  left_ = size;
}

}  // namespace ptxopt
