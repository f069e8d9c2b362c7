/** What the fuzzer's command runs beside Jazzer; see {@code docs/fuzzing.md}. */
@org.jspecify.annotations.NullMarked
package dev.colonnade.it.fuzz;
