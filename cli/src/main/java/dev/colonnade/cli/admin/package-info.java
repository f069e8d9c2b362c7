/**
 * Commands that look after a running node, as a client of it. They see the client library, and
 * nothing of the server.
 */
@NullMarked
package dev.colonnade.cli.admin;

import org.jspecify.annotations.NullMarked;
