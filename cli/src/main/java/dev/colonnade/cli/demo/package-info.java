/**
 * The walkthroughs of the articles that describe the data model, told call by call.
 *
 * <p>A {@link dev.colonnade.cli.demo.Scenario} speaks to a node through generated stubs alone: it
 * writes what the article writes, reads it back, and returns {@linkplain
 * dev.colonnade.cli.demo.Check checks} that hold what was found against what the article promises.
 * {@link dev.colonnade.cli.demo.Calls} makes the calls and tells each with its answer to a {@link
 * dev.colonnade.cli.demo.Narration}. Nothing here starts a node or knows how one is made, so that
 * tests can run the same scenarios against any address.
 *
 * <p>One thread runs a scenario from start to end.
 */
@NullMarked
package dev.colonnade.cli.demo;

import org.jspecify.annotations.NullMarked;
