package dev.colonnade.server.service.rpc;

import io.grpc.BindableService;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptors;

/**
 * What stands before the services: who calls is found out before a call is read, and whether it may
 * is decided when its request is decoded.
 */
final class AccessGate {

  private final ClientAccess access;
  private final StatusErrors errors;
  private final AccessChecks checks;

  AccessGate(ClientAccess access, StatusErrors errors) {
    this.access = access;
    this.errors = errors;
    this.checks = new AccessChecks(access);
  }

  AccessChecks checks() {
    return checks;
  }

  /** Whether the caller that this thread serves may know that a keyspace exists. */
  boolean mayKnowOfKeyspace(String keyspace) {
    return checks.sees(CallIdentity.current(), keyspace);
  }

  /** A service whose calls are checked. */
  BindableService guard(BindableService service) {
    return () ->
        ServerInterceptors.intercept(service, new AuthorizationInterceptor(checks, errors));
  }

  /** Lets a server find out who calls. To be called before other interceptors are added. */
  void addTo(ServerBuilder<?> builder) {
    if (checks.required()) {
      builder
          .addTransportFilter(CertificateNames.filter())
          .intercept(new AuthenticationInterceptor(access.authenticator(), errors));
    }
  }
}
