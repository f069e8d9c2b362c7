/** Sends traces of calls to a collector of OpenTelemetry. */
@NullMarked
package dev.colonnade.server.node.telemetry;

import org.jspecify.annotations.NullMarked;
