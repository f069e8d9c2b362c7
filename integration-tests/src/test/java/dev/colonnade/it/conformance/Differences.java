package dev.colonnade.it.conformance;

import com.google.gson.Gson;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The listed differences, and how often each was used. Not thread-safe. */
final class Differences {

  /** One entry of the file; the last two members only of those under {@code answer}. */
  record Entry(Trait trait, String reason, @Nullable String recorded, @Nullable String expected) {

    @Override
    public String toString() {
      return trait + (recorded == null ? "" : " where " + recorded + " was recorded");
    }
  }

  private record Listing(List<Entry> leaveOut, List<Entry> rewrite, List<Entry> answer) {}

  private final Listing listing;
  private final Map<Entry, Integer> uses = new LinkedHashMap<>();

  private Differences(Listing listing) {
    this.listing = listing;
    listing.leaveOut().forEach(entry -> uses.put(entry, 0));
    listing.rewrite().forEach(entry -> uses.put(entry, 0));
    listing.answer().forEach(entry -> uses.put(entry, 0));
  }

  static Differences read() throws IOException {
    var resource = Differences.class.getResourceAsStream("/conformance/differences.json");
    if (resource == null) {
      throw new FileNotFoundException("conformance/differences.json is not on the class path");
    }
    try (Reader reader = new InputStreamReader(resource, StandardCharsets.UTF_8)) {
      return parse(reader);
    }
  }

  static Differences parse(Reader json) {
    Listing listing = new Gson().fromJson(json, Listing.class);
    for (List<Entry> entries : List.of(listing.leaveOut(), listing.rewrite(), listing.answer())) {
      for (Entry entry : entries) {
        if (entry.reason().isBlank()) {
          throw new IllegalArgumentException("a difference without a reason: " + entry);
        }
      }
    }
    return new Differences(listing);
  }

  /** Whether a line with these traits is not to be sent. */
  boolean leavesOut(Set<Trait> traits) {
    for (Entry entry : listing.leaveOut()) {
      if (traits.contains(entry.trait())) {
        use(entry);
        return true;
      }
    }
    return false;
  }

  /** Whether the request is to be changed as {@code trait} says; asked once per request. */
  boolean rewrites(Trait trait, Set<Trait> traits) {
    if (!traits.contains(trait)) {
      return false;
    }
    for (Entry entry : listing.rewrite()) {
      if (entry.trait() == trait) {
        use(entry);
        return true;
      }
    }
    return false;
  }

  /**
   * The outcome wanted instead of the recorded one, or null when the recorded one stands.
   *
   * @param recorded {@code ok} or the recorded error class
   */
  @Nullable String expectedInstead(Set<Trait> traits, String recorded) {
    for (Entry entry : listing.answer()) {
      if (traits.contains(entry.trait()) && recorded.equals(entry.recorded())) {
        use(entry);
        return entry.expected();
      }
    }
    return null;
  }

  /** Entries that no line has needed so far. */
  List<Entry> unused() {
    List<Entry> unused = new ArrayList<>();
    uses.forEach(
        (entry, count) -> {
          if (count == 0) {
            unused.add(entry);
          }
        });
    return unused;
  }

  /** How often each entry was used, for the report. */
  Map<Entry, Integer> uses() {
    return uses;
  }

  private void use(Entry entry) {
    uses.merge(entry, 1, Integer::sum);
  }
}
