/**
 * Inbox search, which the store was first made for: {@link dev.colonnade.cli.demo.search.Inbox}
 * keeps each user's mail sorted by time, {@link dev.colonnade.cli.demo.search.InboxSearch} finds it
 * by its words. The rest is the walkthroughs with their mail.
 */
@NullMarked
package dev.colonnade.cli.demo.search;

import org.jspecify.annotations.NullMarked;
