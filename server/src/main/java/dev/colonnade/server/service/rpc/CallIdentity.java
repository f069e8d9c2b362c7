package dev.colonnade.server.service.rpc;

import dev.colonnade.server.service.accounts.Identity;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Where a call's identity comes from, and where its handler finds it. */
final class CallIdentity {

  static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private static final Context.Key<Identity> KEY = Context.key("colonnade-identity");

  private static final Context.Key<String> ADDRESS = Context.key("colonnade-caller-address");

  private CallIdentity() {}

  /** The context of a call whose handler must know where it comes from. */
  static Context from(Context context, Attributes attributes) {
    return context.withValue(ADDRESS, address(attributes));
  }

  /** Where the call comes from that this thread serves, if its context says so. */
  static String currentAddress() {
    String address = ADDRESS.get();
    return address == null ? "unknown" : address;
  }

  /** The context of a call that is made as an account. */
  static Context with(Context context, Identity identity) {
    return context.withValue(KEY, identity);
  }

  /** Who makes the call that this thread serves; null where authentication is off. */
  static @Nullable Identity current() {
    return KEY.get();
  }

  /** The address that a call comes from, without its port. */
  static String address(Attributes attributes) {
    SocketAddress address = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    if (address instanceof InetSocketAddress inet) {
      return inet.getHostString();
    }
    return address == null ? "unknown" : "local";
  }
}
