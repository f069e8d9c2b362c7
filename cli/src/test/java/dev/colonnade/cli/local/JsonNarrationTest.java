package dev.colonnade.cli.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.cli.demo.story.Check;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** What {@code demo -o json} prints. */
final class JsonNarrationTest {

  @Test
  void eachPromiseIsAnObjectOnce() {
    JsonNarration narration = new JsonNarration();
    Check kept = new Check("a column is read back", "v", "v");
    Check broken = new Check("a \"row\" is gone", "", "x");
    narration.verdict(kept);
    narration.verdict(broken);
    narration.verdict(broken);
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    narration.end(OutputForm.JSON.to(Printer.plain(writer, writer)));
    writer.flush();
    assertEquals(
        """
        {"check":{"claim":"a column is read back","expected":"v","found":"v","holds":true}}
        {"check":{"claim":"a \\"row\\" is gone","expected":"","found":"x","holds":false}}
        {"returned":{"checks":"2"}}
        """,
        out.toString());
  }
}
