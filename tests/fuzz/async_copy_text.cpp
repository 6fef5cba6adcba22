// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include "async_writer.h"

namespace ptxopt::fuzz::async {

// ---- copies -------------------------------------------------------------------------------------

void Writer::bulkOut(const Step& step) {
  // Not a name: ir::verify() takes the space of what is written for that of both.
  const std::string at = registerOf(step);
  const Number round = roundOf(step);
  const std::string to = newLong();
  // Sums may meet: all of them go to one place.
  if (step.op == Op::BulkReduce || round.constant) {
    emit("add.u64 {}, %out, {};", to, step.place);
  } else {
    emit("mad.wide.u32 {}, {}, {}, %out;", to, round.name, step.bytes);
    emit("add.u64 {0}, {0}, {1};", to, step.place);
  }
  const bool isSum = step.op == Op::BulkReduce;
  emit("{}cp.{}async.bulk.global.shared::cta.bulk_group{} [{}], [{}], {};", guard_,
       isSum ? "reduce." : "", isSum ? ".add.u32" : "", to, at, step.bytes);
}

// A box of rows of the input.
void Writer::tensorCopy(const Step& step, const std::string& to) {
  const Number round = remainder(roundOf(step), 4);
  const std::string row = newWord();
  emit("mov.u32 {}, {};", row, round.text());
  emit("mad.lo.u32 {0}, {0}, {1}, {2};", row, kShift / kRowBytes, step.place / kRowBytes);
  emit(
      "{}cp.async.bulk.tensor.2d.shared::{}.global.tile.mbarrier::complete_tx::bytes [{}], "
      "[%map, {{%zero, {}}}], [{}];",
      guard_, step.spelling % 2 == 0 ? "cluster" : "cta", to, row, object(step));
}

bool Writer::copy(const Step& step) {
  switch (step.op) {
    case Op::BulkIn: {
      const std::string to = address(step.array, step.at, step);
      if (step.isTensor) {
        tensorCopy(step, to);
        return true;
      }
      const std::string from = source(step);
      emit("{}cp.async.bulk.shared::{}.global.mbarrier::complete_tx::bytes [{}], [{}], {}, [{}];",
           guard_, step.spelling % 2 == 0 ? "cluster" : "cta", to, from, step.bytes, object(step));
      return true;
    }
    case Op::BulkShared: {
      const std::string from = address(step.array, step.at, step);
      const std::string to = address(step.other, step.otherAt, step);
      emit(
          "{}cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{}], [{}], "
          "{}, "
          "[{}];",
          guard_, to, from, step.bytes, object(step));
      return true;
    }
    case Op::BulkOut:
    case Op::BulkReduce:
      bulkOut(step);
      return true;
    case Op::BulkCommit:
      emit("{}cp.async.bulk.commit_group;", guard_);
      return true;
    case Op::BulkWait:
      emit("{}cp.async.bulk.wait_group{} {};", guard_, step.onlyReads ? ".read" : "", step.groups);
      return true;
    case Op::CopyAsync: {
      const std::string to = address(step.array, step.at, step);
      const std::string from = source(step, std::to_string(step.width));
      emit("{}cp.async.{}.shared.global [{}], [{}], {};", guard_, step.width == 16 ? "cg" : "ca",
           to, from, step.width);
      return true;
    }
    case Op::CopyCommit:
      emit("{}cp.async.commit_group;", guard_);
      return true;
    case Op::CopyWait:
      if (step.groups == 0 && random_.percent(40)) {
        emit("{}cp.async.wait_all;", guard_);
      } else {
        emit("{}cp.async.wait_group {};", guard_, step.groups);
      }
      return true;
    case Op::CopyArrive:
      emit("{}cp.async.mbarrier.arrive{}.shared::cta.b64 [{}];", guard_,
           step.noIncrement ? ".noinc" : "", object(step));
      return true;
    default:
      return false;
  }
}

// ---- matrices -----------------------------------------------------------------------------------

bool Writer::matrix(const Step& step) {
  switch (step.op) {
    case Op::LoadMatrix:
    case Op::StoreMatrix: {
      const std::string at = address(step.array, step.at, step);
      const bool isLoad = step.op == Op::LoadMatrix;
      std::string list;
      std::vector<std::string> words;
      for (std::uint32_t k = 0; k < step.count; ++k) {
        words.push_back(isLoad ? newWord() : "%acc");
        if (isLoad && !guard_.empty()) emit("mov.u32 {}, 0;", words.back());
        list += (k == 0 ? "" : ", ") + words.back();
      }
      if (isLoad) {
        emit("{}ldmatrix.sync.aligned.m8n8.x{}.shared.b16 {{{}}}, [{}];", guard_, step.count, list,
             at);
        for (const std::string& word : words) mix(word);
      } else {
        emit("{}stmatrix.sync.aligned.m8n8.x{}.shared.b16 [{}], {{{}}};", guard_, step.count, at,
             list);
      }
      return true;
    }
    case Op::Wgmma: {
      const std::string at = registerOf(step);
      const std::string a = descriptor(at, 0, "0x1000080000");
      const std::string b = descriptor(at, kWgmmaA, "0x1000080000");
      std::array<std::string, 4> floats;
      for (std::string& name : floats) name = newFloat();
      emit("wgmma.fence.sync.aligned;");
      emit(
          "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{{}, {}, {}, {}}}, {}, {}, {}, 1, "
          "1, 0, 0;",
          floats[0], floats[1], floats[2], floats[3], a, b, step.accumulates ? 1 : 0);
      emit("wgmma.commit_group.sync.aligned;");
      for (const std::string& name : floats) pendingMixes_.emplace_back(&step, name);
      return true;
    }
    case Op::WgmmaWait:
      emit("wgmma.wait_group.sync.aligned {};", step.groups);
      if (step.groups != 0) return true;
      for (const auto& [issue, name] : std::exchange(pendingMixes_, {})) {
        // Not a copy: early-cse claims of one that it is the register where that is in flight.
        const std::string sum = newFloat();
        const std::string word = newWord();
        emit("add.f32 {}, {}, 0f3FC00000;", sum, name);
        emit("mov.b32 {}, {};", word, sum);
        mix(word);
      }
      return true;
    default:
      return false;
  }
}

bool Writer::tensor(const Step& step) {
  switch (step.op) {
    case Op::Alloc:
      emit("{}tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], {};", guard_,
           plan_.columns);
      emit("{}tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;", guard_);
      return true;
    case Op::Base:
      emit("ld.shared.u32 %tm, [slot];");
      emit("and.b32 %tl, %w, 3;");
      emit("shl.b32 %tl, %tl, 21;");
      emit("add.u32 %tl, %tl, %tm;");
      return true;
    case Op::Dealloc:
      emit("{}tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, {};", guard_, plan_.columns);
      return true;
    case Op::TensorLoad:
    case Op::TensorStore: {
      const bool isLoad = step.op == Op::TensorLoad;
      const std::string at = tensorColumn(step, "%tl");
      std::string list;
      for (std::uint32_t k = 0; k < step.count; ++k) {
        const std::string word = newWord();
        emit("mov.u32 {}, {};", word, isLoad ? "0" : "%acc");
        list += (k == 0 ? "" : ", ") + word;
        if (isLoad) pendingMixes_.emplace_back(&step, word);
      }
      if (isLoad) {
        emit("{}tcgen05.ld.sync.aligned.32x32b.x{}.b32 {{{}}}, [{}];", guard_, step.count, list,
             at);
      } else {
        emit("{}tcgen05.st.sync.aligned.32x32b.x{}.b32 [{}], {{{}}};", guard_, step.count, at,
             list);
      }
      return true;
    }
    case Op::TensorWaitLoad:
      emit("{}tcgen05.wait::ld.sync.aligned;", guard_);
      for (const auto& [issue, name] : std::exchange(pendingMixes_, {})) mix(name);
      return true;
    case Op::TensorWaitStore:
      emit("{}tcgen05.wait::st.sync.aligned;", guard_);
      return true;
    case Op::Mma: {
      const std::string at = registerOf(step);
      const std::string a = descriptor(at, 0, "0x0000400800800000");
      const std::string b = descriptor(at, kMmaA, "0x0000400800080000");
      const std::string form = newWord();
      emit("mov.b32 {}, 0x08020010;", form);  // 128 x 8 x 16, f16 to f32
      const std::string to = tensorColumn(step, "%tm");
      emit("{}tcgen05.mma.cta_group::1.kind::f16 [{}], {}, {}, {}, {};", guard_, to, a, b, form,
           step.accumulates ? "%yes" : "%no");
      return true;
    }
    case Op::TensorCopy: {
      const std::string from = descriptor(registerOf(step), 0, "0x0000400800000000");
      const std::string to = tensorColumn(step, "%tm");
      emit("{}tcgen05.cp.cta_group::1.128x128b [{}], {};", guard_, to, from);
      return true;
    }
    case Op::Commit: {
      const std::string at = object(step);
      const std::string word = newWord();
      const std::size_t plus = at.find('+');
      if (at.front() == '%' && plus != std::string::npos) {
        emit("add.u32 {}, {}, {};", word, at.substr(0, plus), at.substr(plus + 1));
      } else {
        emit("mov.u32 {}, {};", word, at);
      }
      emit("{}tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [{}];", guard_,
           word);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace ptxopt::fuzz::async
