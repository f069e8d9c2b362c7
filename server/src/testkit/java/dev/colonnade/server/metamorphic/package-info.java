/**
 * One list of operations under many configurations: what makes a store faster or smaller must not
 * change what it answers. Lists, configurations, the model they are held against, and what makes a
 * failing list small enough to read.
 */
@NullMarked
package dev.colonnade.server.metamorphic;

import org.jspecify.annotations.NullMarked;
