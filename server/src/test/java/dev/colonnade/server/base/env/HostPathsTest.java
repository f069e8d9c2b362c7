package dev.colonnade.server.base.env;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import org.junit.jupiter.api.Test;

class HostPathsTest {

  @Test
  void aFileKeepsItsNameAndLosesItsPlace() {
    assertEquals(
        "data file 0001-Data.db.quarantined is damaged at byte 7",
        HostPaths.without(
            "data file /var/lib/c/K/F-1/0001-Data.db.quarantined is damaged at byte 7"));
    assertEquals("(MANIFEST)", HostPaths.without("(/srv/ab/MANIFEST)"));
    assertEquals(
        "segment-1.log: Input/output error",
        HostPaths.without("/l/segment-1.log: Input/output error"));
    assertEquals("a, b", HostPaths.without("/x/a, /y/z/b"));
  }

  @Test
  void addressesUrlsAndRelativePathsStayAsTheyAre() {
    for (String text :
        new String[] {
          "", "http://h:80/metrics", "docs/operations.md", "10.0.0.1:7000/x", "1 / 2", "a/b"
        }) {
      assertEquals(text, HostPaths.without(text), text);
    }
  }

  @Test
  void whatHasNoMessageIsCalledByItsName() {
    assertEquals("IOException", HostPaths.without(new IOException()));
    assertEquals("f", HostPaths.without(new AccessDeniedException("/a/f")));
    assertEquals("", HostPaths.without((String) null));
  }
}
