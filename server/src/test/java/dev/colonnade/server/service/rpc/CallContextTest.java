package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class CallContextTest {

  @Test
  void anAnswerHasAQuarterOfASecondForItsWayAndAtMostATenthOfTheCallersTime() {
    RpcSettings settings = RpcSettings.defaults();
    assertEquals(9_750_000_000L, CallContext.answerWithin(10_000_000_000L, settings));
    assertEquals(900_000_000L, CallContext.answerWithin(1_000_000_000L, settings));
    assertEquals(9_000_000L, CallContext.answerWithin(10_000_000L, settings));
    assertEquals(0, CallContext.answerWithin(0, settings));
    assertEquals(-5, CallContext.answerWithin(-5, settings), "it had passed when the call came");
  }
}
