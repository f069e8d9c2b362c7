package dev.colonnade.it.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of the documentation with its fenced blocks. */
record Page(Path file, List<Block> blocks) {

  private static final Pattern BLOCK =
      Pattern.compile("^( *)```([a-z]*)\\n(.*?)^ *```$", Pattern.MULTILINE | Pattern.DOTALL);

  static Page read(Path file) throws IOException {
    String text = Files.readString(file);
    List<Block> blocks = new ArrayList<>();
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      int line = 1 + (int) text.substring(0, block.start()).chars().filter(c -> c == '\n').count();
      String indent = block.group(1);
      String body =
          indent.isEmpty() ? block.group(3) : block.group(3).replaceAll("(?m)^" + indent, "");
      blocks.add(new Block(block.group(2), body, line, indent));
    }
    return new Page(file, List.copyOf(blocks));
  }

  String where(Block block) {
    return file.getFileName() + ":" + block.line();
  }
}
