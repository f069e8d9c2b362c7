package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.GetKeyspaceResponse;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.ListKeyspacesResponse;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Administrative answers that are too long for one message. */
final class AnswerPagesTest {

  private final Service service = Service.start();

  @AfterEach
  void stop() {
    service.close();
  }

  private void define(String keyspace, int families, int commentCharacters) {
    KeyspaceDefinition definition = KeyspaceDefinition.of(keyspace);
    for (int i = 0; i < families; i++) {
      definition =
          definition.withFamily(
              FamilyDefinition.standard("", String.format("F%03d", i), "BytesType")
                  .with(FamilyField.COMMENT, "名".repeat(commentCharacters)));
    }
    String unused = service.rows.createKeyspace(definition).join();
  }

  private ListKeyspacesResponse list(int size, String token) {
    return service
        .schema()
        .listKeyspaces(
            ListKeyspacesRequest.newBuilder().setPageSize(size).setPageToken(token).build());
  }

  /** The keyspaces with the names of their families, and the bytes of the largest page. */
  private int pages(int size, Map<String, List<String>> found) {
    int largest = 0;
    String token = "";
    do {
      ListKeyspacesResponse page = list(size, token);
      largest = Math.max(largest, page.getSerializedSize());
      for (KeyspaceDef keyspace : page.getKeyspacesList()) {
        List<String> names = found.computeIfAbsent(keyspace.getName(), name -> new ArrayList<>());
        keyspace.getColumnFamiliesList().stream().map(ColumnFamilyDef::getName).forEach(names::add);
      }
      int families =
          page.getKeyspacesList().stream().mapToInt(KeyspaceDef::getColumnFamiliesCount).sum();
      assertTrue(families <= size, families + " families on a page of " + size);
      String next = page.getNextPageToken();
      assertTrue(next.isEmpty() || !next.equals(token), "each page goes on");
      token = next;
    } while (!token.isEmpty());
    return largest;
  }

  private static void assertRefused(
      Status.Code code, String reason, String field, Executable call) {
    StatusRuntimeException refusal = assertThrows(StatusRuntimeException.class, call);
    assertEquals(code, refusal.getStatus().getCode(), refusal::toString);
    assertEquals(reason, Service.reason(refusal));
    if (!field.isEmpty()) {
      assertEquals(field, Service.field(refusal));
    }
  }

  @Test
  void pagesOfEverySizeHaveWhatOneAnswerHas() {
    define("A", 0, 0);
    define("B", 7, 1);
    define("C", 1, 1);
    Map<String, List<String>> whole = new TreeMap<>();
    ListKeyspacesResponse all = list(0, "");
    assertEquals("", all.getNextPageToken());
    for (KeyspaceDef each : all.getKeyspacesList()) {
      whole.put(
          each.getName(),
          each.getColumnFamiliesList().stream().map(ColumnFamilyDef::getName).toList());
    }
    assertTrue(whole.containsKey("A") && whole.containsKey("system"), whole::toString);
    for (int size : new int[] {1, 2, 3, 7, 1_000, Integer.MAX_VALUE}) {
      Map<String, List<String>> found = new TreeMap<>();
      int unused = pages(size, found);
      assertEquals(whole, found, "pages of " + size);
    }
  }

  /** 24 MB of definitions, which blinded every shell of the cluster. */
  @Test
  void aLargeSchemaIsListedInPagesOfBoundedSizeAndRefusedAsOneAnswer() {
    for (int i = 0; i < 8; i++) {
      define("Big" + i, 100, 10_000);
    }
    assertRefused(
        Status.Code.FAILED_PRECONDITION, ErrorReasons.RESPONSE_TOO_LARGE, "", () -> list(0, ""));
    Map<String, List<String>> found = new TreeMap<>();
    int largest = pages(10_000, found);
    assertEquals(100, found.getOrDefault("Big7", List.of()).size());
    assertTrue(largest < AnswerPages.PAGE_BYTES + 40_000, "a page of " + largest);
    GetKeyspaceResponse small =
        service.schema().getKeyspace(GetKeyspaceRequest.newBuilder().setName(Service.KS).build());
    assertEquals(4, small.getKeyspace().getColumnFamiliesCount());
  }

  @Test
  void oneLargeKeyspaceComesInPagesToo() {
    define("Huge", 130, 10_000);
    GetKeyspaceRequest whole = GetKeyspaceRequest.newBuilder().setName("Huge").build();
    assertEquals(130, service.schema().getKeyspace(whole).getKeyspace().getColumnFamiliesCount());
    List<String> names = new ArrayList<>();
    String token = "";
    do {
      GetKeyspaceResponse page =
          service
              .schema()
              .getKeyspace(whole.toBuilder().setPageSize(1_000).setPageToken(token).build());
      assertTrue(page.getSerializedSize() < AnswerPages.PAGE_BYTES + 40_000);
      assertEquals(1, page.getKeyspace().getReplicationFactor());
      page.getKeyspace().getColumnFamiliesList().forEach(family -> names.add(family.getName()));
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertEquals(130, names.size());
    assertEquals(130, names.stream().distinct().count());
  }

  @Test
  void whatChangesBetweenTwoPagesMovesNothingElse() {
    define("B", 6, 1);
    ListKeyspacesResponse first = list(2, "");
    String token = first.getNextPageToken();
    List<String> rest = namesFrom(token);
    // Both before the place of the token: it is in Keyspace1 or B, in the order of names.
    define("A", 3, 1);
    assertEquals(rest, namesFrom(token));
    define("Z", 1, 1);
    List<String> later = namesFrom(token);
    assertTrue(later.contains("Z.F000"), later::toString);
    assertTrue(later.containsAll(rest), later::toString);
  }

  private List<String> namesFrom(String start) {
    List<String> names = new ArrayList<>();
    String token = start;
    while (!token.isEmpty()) {
      ListKeyspacesResponse page = list(2, token);
      for (KeyspaceDef keyspace : page.getKeyspacesList()) {
        keyspace
            .getColumnFamiliesList()
            .forEach(family -> names.add(keyspace.getName() + "." + family.getName()));
      }
      token = page.getNextPageToken();
    }
    return names;
  }

  @Test
  void sizesAndTokensThatCannotBeAreRefused() {
    define("B", 3, 1);
    String token = list(1, "").getNextPageToken();
    assertFalse(token.isEmpty());
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        ErrorReasons.INVALID_REQUEST,
        "page_size",
        () -> list(-1, ""));
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        ErrorReasons.INVALID_REQUEST,
        "page_size",
        () -> list(0, token));
    for (String bad : List.of("x", "AAAA", token + "A", token.substring(1))) {
      assertRefused(
          Status.Code.INVALID_ARGUMENT,
          ErrorReasons.INVALID_PAGE_TOKEN,
          "page_token",
          () -> list(1, bad));
    }
    GetKeyspaceRequest other =
        GetKeyspaceRequest.newBuilder().setName("B").setPageSize(1).setPageToken(token).build();
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        ErrorReasons.INVALID_PAGE_TOKEN,
        "page_token",
        () -> service.schema().getKeyspace(other));
    assertFalse(list(1, token).getKeyspacesList().isEmpty(), "the token is as good as before");
  }
}
