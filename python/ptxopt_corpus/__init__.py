# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt-corpus: what would ptxopt do to all the PTX that somebody owns?  See docs/corpus.md.

A package of its own, beside ptxopt: importing ptxopt loads libptxopt, which nothing here needs, and which is not
where only the programs are installed, or on the workers of a cluster.
"""
