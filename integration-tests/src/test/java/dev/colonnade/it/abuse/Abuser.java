package dev.colonnade.it.abuse;

import java.io.IOException;

/**
 * The process of one {@link AbuseCase}: reports that it has begun, continues until its input ends,
 * and then reports the outcomes of its calls.
 */
final class Abuser {

  static final String BEGUN = "begun";

  private Abuser() {}

  /**
   * Begins.
   *
   * @param args the case's name, and the node's ports for clients, peers and HTTP
   */
  public static void main(String[] args) throws IOException {
    Target target =
        new Target(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]));
    Tally tally = new Tally();
    AbuseCases.named(args[0]).begin(target, tally);
    System.out.println(BEGUN);
    while (System.in.read() >= 0) {
      // Only the end of the input is expected.
    }
    System.out.println(tally.counts().line());
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }
}
