package dev.colonnade.cli.demo;

import dev.colonnade.cli.demo.basics.AddressBookWalkthrough;
import dev.colonnade.cli.demo.basics.SortingWalkthrough;
import dev.colonnade.cli.demo.basics.TagsWalkthrough;
import dev.colonnade.cli.demo.basics.UserProfileWalkthrough;
import dev.colonnade.cli.demo.basics.UsersStatsWalkthrough;
import dev.colonnade.cli.demo.blog.BloggyAppyWalkthrough;
import dev.colonnade.cli.demo.mail.MailWalkthrough;
import dev.colonnade.cli.demo.search.InboxSearchWalkthrough;
import dev.colonnade.cli.demo.search.SearchServiceWalkthrough;
import dev.colonnade.cli.demo.search.TenNewestWalkthrough;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.cli.demo.twissandra.TwissandraWalkthrough;
import java.util.List;

/** Which walkthroughs there are. */
public final class Walkthroughs {

  private Walkthroughs() {}

  /**
   * All of them, from the simplest to the greatest.
   *
   * @param columns how many the longest row has
   */
  public static List<Walkthrough> all(int columns) {
    return List.of(
        new SortingWalkthrough(),
        new UserProfileWalkthrough(),
        new AddressBookWalkthrough(),
        new UsersStatsWalkthrough(),
        new TagsWalkthrough(),
        new BloggyAppyWalkthrough(),
        new TwissandraWalkthrough(),
        new InboxSearchWalkthrough(),
        new SearchServiceWalkthrough(),
        new TenNewestWalkthrough(columns),
        new MailWalkthrough());
  }
}
