/** Who fetches what when the ring changes. */
@NullMarked
package dev.colonnade.server.cluster.membership;

import org.jspecify.annotations.NullMarked;
