package dev.colonnade.connectors.samples;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What the samples should find, counted in memory and apart from {@link Words}. */
public final class ExpectedWords {

  private ExpectedWords() {}

  /** How often each word stands in all tweets. */
  public static Map<String, Long> ofAll(TwissandraData data) {
    Map<String, Long> counts = new TreeMap<>();
    for (int i = 0; i < data.tweets(); i++) {
      count(data.tweet(i).body(), counts);
    }
    return counts;
  }

  /** How often each user's friends write each word, by the user's id, also where it is nothing. */
  public static Map<String, Map<String, Long>> ofFriends(TwissandraData data) {
    Map<String, Map<String, Long>> written = new TreeMap<>();
    for (int i = 0; i < data.tweets(); i++) {
      TwissandraData.Tweet tweet = data.tweet(i);
      count(tweet.body(), written.computeIfAbsent(tweet.userId(), id -> new TreeMap<>()));
    }
    Map<String, Map<String, Long>> friends = new TreeMap<>();
    for (int user = 0; user < data.users(); user++) {
      Map<String, Long> counts = new TreeMap<>();
      for (int friend : data.friends(user)) {
        written
            .getOrDefault(data.user(friend), Map.of())
            .forEach((word, count) -> counts.merge(word, count, Long::sum));
      }
      friends.put(data.user(user), counts);
    }
    return friends;
  }

  private static void count(String body, Map<String, Long> into) {
    for (String word : body.toLowerCase(Locale.ROOT).split("[^a-z0-9]+")) {
      if (!word.isEmpty()) {
        into.merge(word, 1L, Long::sum);
      }
    }
  }
}
