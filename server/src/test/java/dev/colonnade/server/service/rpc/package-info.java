/** Tests of the services through gRPC's in-process transport, with a naive store behind them. */
@NullMarked
package dev.colonnade.server.service.rpc;

import org.jspecify.annotations.NullMarked;
