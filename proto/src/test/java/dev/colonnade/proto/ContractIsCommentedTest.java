package dev.colonnade.proto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.DescriptorProtos.SourceCodeInfo.Location;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The comments of the .proto files are the reference in every language, so nothing goes without.
 */
final class ContractIsCommentedTest {

  @Test
  void everyElementHasAComment() throws IOException {
    List<FileDescriptorProto> files = contract();
    List<String> missing = new ArrayList<>();
    for (FileDescriptorProto file : files) {
      new Walk(file, missing).file();
    }
    assertEquals(List.of(), missing, "elements of the contract without a comment");
  }

  @Test
  void anElementWithoutACommentIsNoticed() throws IOException {
    List<String> missing = new ArrayList<>();
    for (FileDescriptorProto file : contract()) {
      new Walk(file.toBuilder().clearSourceCodeInfo().build(), missing).file();
    }
    for (String name :
        List.of(
            "colonnade.v1.ColumnStoreService",
            "colonnade.v1.ColumnStoreService.Get",
            "colonnade.v1.Column",
            "colonnade.v1.Column.ttl_seconds",
            "colonnade.v1.SlicePredicate.kind",
            "colonnade.v1.ConsistencyLevel",
            "colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ZERO")) {
      assertTrue(missing.contains(name), name);
    }
  }

  @Test
  void everyMethodOnColumnsSaysWhichErrorsItGives() throws IOException {
    for (FileDescriptorProto file : contract()) {
      Walk walk = new Walk(file, new ArrayList<>());
      for (int s = 0; s < file.getServiceCount(); s++) {
        ServiceDescriptorProto service = file.getService(s);
        if (!service.getName().equals("ColumnStoreService")) {
          continue;
        }
        for (int m = 0; m < service.getMethodCount(); m++) {
          String comment = walk.comment(List.of(6, s, 2, m));
          assertTrue(
              comment.contains("Errors"), service.getMethod(m).getName() + " lists no errors");
        }
      }
    }
  }

  private static List<FileDescriptorProto> contract() throws IOException {
    try (InputStream in =
        Files.newInputStream(Path.of(System.getProperty("contract.descriptors")))) {
      List<FileDescriptorProto> ours =
          FileDescriptorSet.parseFrom(in).getFileList().stream()
              .filter(file -> file.getPackage().startsWith("colonnade."))
              .sorted(Comparator.comparing(FileDescriptorProto::getName))
              .toList();
      assertFalse(ours.isEmpty(), "no file of the contract in the descriptor set");
      return ours;
    }
  }

  /** Visits one file; the numbers are the field numbers of descriptor.proto, as paths use them. */
  private static final class Walk {
    private final FileDescriptorProto file;
    private final List<String> missing;

    Walk(FileDescriptorProto file, List<String> missing) {
      this.file = file;
      this.missing = missing;
    }

    void file() {
      for (int i = 0; i < file.getMessageTypeCount(); i++) {
        message(List.of(4, i), file.getPackage(), file.getMessageType(i));
      }
      for (int i = 0; i < file.getEnumTypeCount(); i++) {
        enumeration(List.of(5, i), file.getPackage(), file.getEnumType(i));
      }
      for (int i = 0; i < file.getServiceCount(); i++) {
        service(List.of(6, i), file.getPackage(), file.getService(i));
      }
    }

    private void message(List<Integer> path, String scope, DescriptorProto message) {
      if (message.getOptions().getMapEntry()) {
        return; // made by the compiler for a map field
      }
      String name = scope + "." + message.getName();
      demand(path, name);
      Set<Integer> real = new HashSet<>();
      for (int i = 0; i < message.getFieldCount(); i++) {
        demand(append(path, 2, i), name + "." + message.getField(i).getName());
        if (message.getField(i).hasOneofIndex() && !message.getField(i).getProto3Optional()) {
          real.add(message.getField(i).getOneofIndex());
        }
      }
      for (int oneof : real) {
        demand(append(path, 8, oneof), name + "." + message.getOneofDecl(oneof).getName());
      }
      for (int i = 0; i < message.getNestedTypeCount(); i++) {
        message(append(path, 3, i), name, message.getNestedType(i));
      }
      for (int i = 0; i < message.getEnumTypeCount(); i++) {
        enumeration(append(path, 4, i), name, message.getEnumType(i));
      }
    }

    private void enumeration(List<Integer> path, String scope, EnumDescriptorProto type) {
      String name = scope + "." + type.getName();
      demand(path, name);
      for (int i = 0; i < type.getValueCount(); i++) {
        demand(append(path, 2, i), name + "." + type.getValue(i).getName());
      }
    }

    private void service(List<Integer> path, String scope, ServiceDescriptorProto service) {
      String name = scope + "." + service.getName();
      demand(path, name);
      for (int i = 0; i < service.getMethodCount(); i++) {
        demand(append(path, 2, i), name + "." + service.getMethod(i).getName());
      }
    }

    private void demand(List<Integer> path, String name) {
      if (comment(path).isBlank()) {
        missing.add(name);
      }
    }

    String comment(List<Integer> path) {
      return file.getSourceCodeInfo().getLocationList().stream()
          .filter(location -> location.getPathList().equals(path))
          .map(Location::getLeadingComments)
          .findFirst()
          .orElse("");
    }

    private static List<Integer> append(List<Integer> path, int field, int index) {
      List<Integer> longer = new ArrayList<>(path);
      longer.add(field);
      longer.add(index);
      return longer;
    }
  }
}
