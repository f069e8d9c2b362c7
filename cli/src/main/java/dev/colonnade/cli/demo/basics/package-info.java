/**
 * The small examples of the articles, each in a family or two: how names are sorted, rows as
 * objects, rows of super columns, one key in two families, tags.
 */
@NullMarked
package dev.colonnade.cli.demo.basics;

import org.jspecify.annotations.NullMarked;
