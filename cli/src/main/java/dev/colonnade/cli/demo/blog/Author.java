package dev.colonnade.cli.demo.blog;

import java.util.Map;

/**
 * An author of posts.
 *
 * @param name in full; also the row's key, so that no two authors have the same
 * @param profile everything else that is known: e-mail address, twitter name, biography
 */
public record Author(String name, Map<String, String> profile) {

  /** Keeps a copy of the profile. */
  public Author {
    profile = Map.copyOf(profile);
  }
}
