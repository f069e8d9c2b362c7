package dev.colonnade.cli.demo.blog;

import java.time.Instant;
import java.util.List;

/**
 * A post.
 *
 * @param slug how addresses name it; also the row's key, so that no two posts have the same
 * @param author the author's {@link Author#name}
 * @param published in whole seconds
 * @param tags any number of them, none of them empty or with a comma
 */
public record Post(
    String slug, String title, String body, String author, Instant published, List<String> tags) {

  /**
   * Checks the tags and keeps a copy of them.
   *
   * @throws IllegalArgumentException if a tag is empty or has a comma, because the tags of a post
   *     are kept in one column with commas between
   */
  public Post {
    tags = List.copyOf(tags);
    for (String tag : tags) {
      if (tag.isEmpty() || tag.contains(",")) {
        throw new IllegalArgumentException(
            "a tag is not empty and has no comma, which \"" + tag + "\" does not hold to");
      }
    }
  }
}
