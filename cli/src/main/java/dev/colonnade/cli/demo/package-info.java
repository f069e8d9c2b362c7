/**
 * The walkthroughs of the articles that describe the data model: which there are, and how a list of
 * them is run.
 *
 * <p>Each application has a package of its own with two layers. The application itself is a plain
 * program on the client library, for reading and copying: it knows nothing of a demo. Its {@link
 * dev.colonnade.cli.demo.story.Walkthrough} feeds it with the article's data, tells what is asked
 * and answered, and checks every answer. Nothing here starts a node or knows how one is made, so
 * that tests can run the same walkthroughs against any address.
 */
@NullMarked
package dev.colonnade.cli.demo;

import org.jspecify.annotations.NullMarked;
