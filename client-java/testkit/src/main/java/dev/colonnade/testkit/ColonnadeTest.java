package dev.colonnade.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class nodes of its own, in the process of the test: on free ports of loopback, with
 * data in a temporary directory. They start before the class and are gone after it. Constructors
 * and methods of the class, and of classes nested in it, may have parameters of {@link TestNodes}
 * and of {@link dev.colonnade.client.Colonnade}, a client of all nodes.
 *
 * <pre>{@code
 * @ColonnadeTest
 * final class BlogTest {
 *
 *   @BeforeAll
 *   static void define(Colonnade client) {
 *     client
 *         .schema()
 *         .create(
 *             KeyspaceDefinition.named("Blog")
 *                 .with(ColumnFamilyDefinition.standard("Posts", Comparators.TIME_UUID)));
 *   }
 *
 *   @Test
 *   void aPostIsFoundByItsTag(Colonnade client) {
 *     …
 *   }
 * }
 * }</pre>
 *
 * <p>The JVM of the tests needs the options that docs/client-java.md lists.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(ColonnadeExtension.class)
public @interface ColonnadeTest {

  /**
   * How many nodes. Several own equal shares of the ring, and see each other when a test begins.
   */
  int nodes() default 1;

  /** The partitioner, by its name. */
  String partitioner() default "RandomPartitioner";

  /** Whether all keyspaces are dropped after each test. */
  boolean dropKeyspacesAfterEach() default false;
}
