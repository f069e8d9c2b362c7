package dev.colonnade.proto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * docs/api.md says what the comments of the .proto files say. {@code ./test ApiPage
 * -Dapi.write=true} writes it.
 */
final class ApiPageTest {

  private static final Path PAGE = Path.of("..", "docs", "api.md");

  @Test
  void thePageIsWhatTheContractSays() throws IOException {
    String page = new ApiPage(contract()).text();
    if (Boolean.getBoolean("api.write")) {
      Files.writeString(PAGE, page);
    }
    assertEquals(
        Files.readString(PAGE),
        page,
        "docs/api.md is not what the .proto files say; write it with ./test ApiPage"
            + " -Dapi.write=true");
  }

  @Test
  void everyLinkLeadsToOneHeading() throws IOException {
    String page = new ApiPage(contract()).text();
    Set<String> headings = new HashSet<>();
    page.lines()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(java.util.Locale.ROOT))
        .forEach(heading -> assertTrue(headings.add(heading), () -> heading + " stands twice"));
    Matcher link = Pattern.compile("]\\(#([^)]*)\\)").matcher(page);
    int links = 0;
    while (link.find()) {
      links++;
      assertTrue(headings.contains(link.group(1)), link.group());
    }
    assertTrue(links > 100, "the page has only " + links + " links");
  }

  @Test
  void aChangedCommentChangesThePage() throws IOException {
    List<FileDescriptorProto> files = contract();
    FileDescriptorProto.Builder changed = files.get(0).toBuilder();
    changed.getSourceCodeInfoBuilder().clearLocation();
    assertFalse(
        new ApiPage(List.of(files.get(0)))
            .text()
            .equals(new ApiPage(List.of(changed.build())).text()),
        "comments have no effect");
  }

  private static List<FileDescriptorProto> contract() throws IOException {
    try (InputStream in =
        Files.newInputStream(Path.of(System.getProperty("contract.descriptors")))) {
      return FileDescriptorSet.parseFrom(in).getFileList().stream()
          .filter(file -> ApiPage.PACKAGES.contains(file.getPackage()))
          .toList();
    }
  }
}
