@NullMarked
package dev.colonnade.server.service.search;

import org.jspecify.annotations.NullMarked;
