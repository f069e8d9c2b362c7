package dev.colonnade.cli.shell.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.cli.shell.statement.Statement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each form of a statement means, shown by how it is printed. */
final class StatementReaderTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          set Keyspace1.Standard2['jsmith']['first'] = 'John' | =
          SET Keyspace1.Standard2["jsmith"]["age"] = '42'     | set Keyspace1.Standard2['jsmith']['age'] = '42'
          get Keyspace1.Standard1['jsmith']                   | =
          get Keyspace1.Super1['k']['s']['c']                 | =
          get User[jsmith][name]                              | =
          get BloggyAppy.Authors['Arin Sarkissian'];          | get BloggyAppy.Authors['Arin Sarkissian']
          set A['x']['email'] = 'a@b.c' with ttl = 30         | =
          set A[x][y] = 5 with timestamp=7 and TTL=30         | set A[x][y] = 5 with ttl = 30 and timestamp = 7
          set A[x][y] = -5.25e-3                              | =
          set A[x][timeuuid()] = utf8('it''s')                | set A[x][timeuuid()] = utf8('it\\'s')
          get A[0xCAFE][LONG(5)]                              | get A[0xCAFE][long(5)]
          get A[k][2010-05-01]                                | =
          get A[k][550e8400-e29b-41d4-a716-446655440000]      | =
          get A[k] from a to b reversed limit 3               | =
          get A[k] limit 3 reversed to b after a as utf8      | get A[k] after a to b reversed limit 3 as utf8
          get A[k][s][c] as org.apache.cassandra.db.marshal.LongType | =
          get A['k'] before 'z'                               | =
          get A[k] since 1273000000000001                     | =
          get A[k] limit 3 since '2010-05-01T10:00:00Z' from a | get A[k] from a since '2010-05-01T10:00:00Z' limit 3
          count A[k] since -5                                 | =
          list A[a:b] limit 10 since 2010-05-01               | =
          multiget A['a', 'b']['super'] limit 2               | =
          multiget A[a,b,3]                                   | multiget A[a, b, 3]
          count A['k']                                        | =
          count A['k']['s'] from a                            | =
          del A['k']                                          | =
          del A['k']['s']['c'] with timestamp = 9             | =
          del A['k'] from a to b                              | =
          list A                                              | =
          list A[]                                            | list A
          list A[a:b] limit 10                                | =
          list A['a':] columns 5                              | =
          list A[:'b'] limit 10 columns 5 reversed            | list A[:'b'] limit 10 reversed columns 5
          list A[:]['super'] limit 1                          | =
          keys A[a:b] limit 3                                 | =
          touch A['a', 'b']                                   | =
          truncate K.A                                        | =
          assume A comparator as utf8                         | =
          assume K.A keys as org.acme.Mine                    | =
          ConsistencyLevel AS quorum                          | consistencylevel as QUORUM
          create keyspace K                                   | =
          drop keyspace K                                     | =
          drop column family K.A                              | =
          describe                                            | describe keyspace
          describe keyspace                                   | =
          describe keyspace K                                 | =
          describe column family A                            | =
          describe cluster                                    | =
          describe A                                          | =
          describe K.A                                        | describe column family K.A
          show keyspaces                                      | =
          show cluster name                                   | =
          show api version                                    | =
          show schema                                         | =
          show schema K                                       | =
          stats on                                            | =
          trace on                                            | =
          Timing OFF                                          | timing off
          output json                                         | =
          flush                                               | =
          flush A B                                           | flush A, B
          compact K.A, K.B                                    | =
          source 'a b.txt'                                    | =
          source ../dir/a-b.cli                               | source '../dir/a-b.cli'
          connect localhost/9160                              | connect 'localhost/9160'
          connect 127.0.0.1:9160                              | connect '127.0.0.1/9160'
          connect [::1]:9160                                  | connect '::1/9160'
          help                                                | =
          help create KEYSPACE                                | help create keyspace
          ?                                                   | help
          ? get                                               | help get
          exit                                                | =
          QUIT                                                | exit
          use Keyspace1                                       | =
          /* a */ use K -- b                                  | use K
          get count[limit][from] from from to to              | =
          """)
  void isRead(String text, String meaning) throws SyntaxException {
    List<Statement> statements = StatementReader.parseAll(text);

    assertEquals(1, statements.size());
    assertEquals((meaning.equals("=") ? text : meaning) + ";", Statements.print(statements.get(0)));
  }
}
