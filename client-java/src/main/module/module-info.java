/**
 * The client library of Colonnade. What it needs of gRPC and protobuf are automatic modules, which
 * have these names in their manifests; Guava is a module of its own, which nothing else would
 * resolve for a program with modules.
 *
 * <p>Compiled when the library is packaged, after its classes, which are compiled without modules.
 */
module dev.colonnade.client {
  requires com.google.common;
  requires com.google.protobuf;
  requires dev.colonnade.proto;
  requires io.grpc;
  requires io.grpc.netty.shaded;
  requires io.grpc.protobuf;
  requires io.grpc.stub;
  requires io.grpc.util;
  requires static org.jspecify;
  // For the listener that moves its meters; a program that uses it brings and requires it itself.
  requires static micrometer.core;
  // gRPC and protobuf are faster with it, and automatic modules ask for nothing themselves.
  requires jdk.unsupported;

  exports dev.colonnade.client;
  exports dev.colonnade.client.micrometer;
}
