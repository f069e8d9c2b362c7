/**
 * Full-text search over the documents of a user, on top of the coordinator's reads and writes.
 *
 * <p>An index is a Super family with a row for each user. {@link
 * dev.colonnade.server.service.search.IndexLayout} says what its super columns are, {@link
 * dev.colonnade.server.service.search.IndexUpdate} what changes when a document does, and {@link
 * dev.colonnade.server.service.search.TermSearch} how documents are found. Terms are cut by
 * Lucene's analyzers, which only {@link dev.colonnade.server.service.search.Analyzers} and {@link
 * dev.colonnade.server.service.search.TextAnalyzer} know.
 *
 * <p>Must not contain wire formats, gRPC, or storage.
 */
@NullMarked
package dev.colonnade.server.service.search;

import org.jspecify.annotations.NullMarked;
