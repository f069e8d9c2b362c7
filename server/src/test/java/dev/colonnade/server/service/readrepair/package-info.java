/** Replicas that saw different writes, the answers they give, and what is made of them. */
@NullMarked
package dev.colonnade.server.service.readrepair;

import org.jspecify.annotations.NullMarked;
