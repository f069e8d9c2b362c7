package dev.colonnade.it.bench;

import io.grpc.MethodDescriptor;
import java.util.function.Supplier;

/**
 * One kind of call, over and over.
 *
 * @param requests thread-safe, encoded requests
 * @param answerBytes the size of an answer, which the call that does nothing copies
 * @param limitRatio how many times the CPU of the call that does nothing it may cost; 0 for no
 *     limit
 */
record Workload(
    String name,
    MethodDescriptor<byte[], byte[]> method,
    Supplier<byte[]> requests,
    int answerBytes,
    double limitRatio) {}
