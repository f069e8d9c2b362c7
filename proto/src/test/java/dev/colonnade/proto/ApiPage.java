package dev.colonnade.proto;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.MethodDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.DescriptorProtos.SourceCodeInfo.Location;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The reference of the contract as a page, made of the comments of the .proto files. */
final class ApiPage {

  /** What clients call, in the order of the page. */
  static final List<String> PACKAGES =
      List.of("colonnade.v1", "colonnade.search.v1", "colonnade.admin.v1");

  private static final int WIDTH = 120;

  private final List<FileDescriptorProto> files;
  private final Set<String> types = new HashSet<>();
  private final StringBuilder out = new StringBuilder();

  ApiPage(List<FileDescriptorProto> files) {
    this.files =
        files.stream()
            .sorted(
                Comparator.<FileDescriptorProto>comparingInt(
                        file -> PACKAGES.indexOf(file.getPackage()))
                    .thenComparing(FileDescriptorProto::getName))
            .toList();
    for (FileDescriptorProto file : files) {
      file.getMessageTypeList().forEach(type -> types.add(type.getName()));
      file.getEnumTypeList().forEach(type -> types.add(type.getName()));
    }
  }

  String text() {
    out.append("# The contract\n\n");
    paragraph(
        "Written from the comments in `proto/src/main/proto` by `./test ApiPage -Dapi.write=true`."
            + " Every call is a gRPC call; [errors.md](errors.md) says what each reason means, and"
            + " [clients.md](clients.md) what each language's client makes of them.");
    out.append('\n');
    for (String name : PACKAGES) {
      out.append("* `").append(name).append("`:");
      String services =
          files.stream()
              .filter(file -> file.getPackage().equals(name))
              .flatMap(file -> file.getServiceList().stream())
              .map(service -> " " + link(service.getName()))
              .collect(Collectors.joining(","));
      out.append(services).append('\n');
    }
    for (FileDescriptorProto file : files) {
      Comments comments = new Comments(file);
      for (int s = 0; s < file.getServiceCount(); s++) {
        service(file.getService(s), comments, s);
      }
    }
    for (FileDescriptorProto file : files) {
      Comments comments = new Comments(file);
      out.append("\n## Messages of ").append(file.getName()).append('\n');
      for (int i = 0; i < file.getMessageTypeCount(); i++) {
        message(file.getMessageType(i), comments, List.of(4, i));
      }
      for (int i = 0; i < file.getEnumTypeCount(); i++) {
        enumeration(file.getEnumType(i), comments, List.of(5, i));
      }
    }
    return out.toString();
  }

  private void service(ServiceDescriptorProto service, Comments comments, int index) {
    out.append("\n## ").append(service.getName()).append("\n\n");
    paragraphs(comments.of(List.of(6, index)));
    for (int m = 0; m < service.getMethodCount(); m++) {
      MethodDescriptorProto method = service.getMethod(m);
      out.append("\n### ").append(service.getName()).append('.').append(method.getName());
      out.append("\n\n");
      out.append(method.getClientStreaming() ? "stream of " : "");
      out.append(link(simple(method.getInputType()))).append(" → ");
      out.append(method.getServerStreaming() ? "stream of " : "");
      out.append(link(simple(method.getOutputType()))).append("\n\n");
      paragraphs(comments.of(List.of(6, index, 2, m)));
    }
  }

  private void message(DescriptorProto message, Comments comments, List<Integer> path) {
    heading(message.getName(), comments.of(path));
    if (message.getFieldCount() == 0) {
      return;
    }
    out.append("\n| field | type | |\n| --- | --- | --- |\n");
    Map<String, DescriptorProto> maps =
        message.getNestedTypeList().stream()
            .filter(type -> type.getOptions().getMapEntry())
            .collect(Collectors.toMap(DescriptorProto::getName, type -> type));
    for (int i = 0; i < message.getFieldCount(); i++) {
      FieldDescriptorProto field = message.getField(i);
      StringBuilder note = new StringBuilder();
      if (field.hasOneofIndex() && !field.getProto3Optional()) {
        note.append("One of `")
            .append(message.getOneofDecl(field.getOneofIndex()).getName())
            .append("`. ");
      }
      note.append(cell(comments.of(append(path, 2, i))));
      out.append("| `").append(field.getName()).append("` = ").append(field.getNumber());
      out.append(" | ").append(type(field, maps)).append(" | ").append(note).append(" |\n");
    }
  }

  private void enumeration(EnumDescriptorProto type, Comments comments, List<Integer> path) {
    heading(type.getName(), comments.of(path));
    out.append("\n| value | |\n| --- | --- |\n");
    for (int i = 0; i < type.getValueCount(); i++) {
      out.append("| `").append(type.getValue(i).getName()).append("` = ");
      out.append(type.getValue(i).getNumber()).append(" | ");
      out.append(cell(comments.of(append(path, 2, i)))).append(" |\n");
    }
  }

  private void heading(String name, String comment) {
    out.append("\n### ").append(name).append("\n\n");
    paragraphs(comment);
  }

  private String type(FieldDescriptorProto field, Map<String, DescriptorProto> maps) {
    String simple = simple(field.getTypeName());
    if (maps.containsKey(simple)) {
      List<FieldDescriptorProto> entry = maps.get(simple).getFieldList();
      return "map of " + type(entry.get(0), Map.of()) + " to " + type(entry.get(1), Map.of());
    }
    String name =
        field.getTypeName().isEmpty()
            ? field.getType().name().substring("TYPE_".length()).toLowerCase(Locale.ROOT)
            : field.getTypeName().startsWith(".google.")
                ? field.getTypeName().substring(1)
                : link(simple);
    return switch (field.getLabel()) {
      case LABEL_REPEATED -> "repeated " + name;
      default -> field.getProto3Optional() ? "optional " + name : name;
    };
  }

  /** Services and types are headings of the page. */
  private String link(String name) {
    return "[" + name + "](#" + name.toLowerCase(Locale.ROOT) + ")";
  }

  private static String simple(String type) {
    return type.substring(type.lastIndexOf('.') + 1);
  }

  private static String cell(String comment) {
    return escaped(comment).replaceAll("\\s+", " ").replace("|", "\\|").strip();
  }

  /** Text, not markup. */
  private static String escaped(String comment) {
    return comment.replace("<", "&lt;").replace("*", "\\*");
  }

  private void paragraphs(String comment) {
    String between = "";
    for (String paragraph : comment.strip().split("\n\\s*\n")) {
      out.append(between);
      paragraph(escaped(paragraph));
      between = "\n";
    }
  }

  private void paragraph(String text) {
    int column = 0;
    for (String word : text.strip().split("\\s+")) {
      if (column > 0 && column + 1 + word.length() > WIDTH) {
        out.append('\n');
        column = 0;
      } else if (column > 0) {
        out.append(' ');
        column++;
      }
      out.append(word);
      column += word.length();
    }
    out.append('\n');
  }

  private static List<Integer> append(List<Integer> path, int field, int index) {
    List<Integer> longer = new java.util.ArrayList<>(path);
    longer.add(field);
    longer.add(index);
    return longer;
  }

  /** The comments of one file by the place of what they describe. */
  private static final class Comments {
    private final Map<List<Integer>, String> byPath;

    Comments(FileDescriptorProto file) {
      byPath =
          file.getSourceCodeInfo().getLocationList().stream()
              .collect(
                  Collectors.toMap(
                      Location::getPathList,
                      Location::getLeadingComments,
                      (first, second) -> first.isEmpty() ? second : first));
    }

    String of(List<Integer> path) {
      return byPath.getOrDefault(path, "");
    }
  }
}
