/**
 * What an index of mails costs: documents a second, searches a second and their processor time,
 * beside an index of Lucene for each user that takes the same documents and queries.
 */
@NullMarked
package dev.colonnade.it.bench.search;

import org.jspecify.annotations.NullMarked;
