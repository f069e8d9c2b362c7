package dev.colonnade.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The shell and the administration are clients like any other. */
final class ArchitectureTest {

  private static final String DEMO = "dev.colonnade.cli.demo..";
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.colonnade.cli");

  @Test
  void onlyTheLocalCommandsSeeTheServer() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.colonnade.cli.local..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.colonnade.server..")
        .because("only what runs a node in this process may know how one is made")
        .check(CLASSES);
  }

  @Test
  void walkthroughsSpeakThroughTheClientLibraryAlone() {
    classes()
        .that()
        .resideInAPackage(DEMO)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(DEMO, "dev.colonnade.client", "java..", "org.jspecify..")
        .because("a reader can do whatever they do")
        .check(CLASSES);
  }

  @Test
  void applicationsKnowNothingOfTheDemo() {
    noClasses()
        .that()
        .resideInAPackage(DEMO)
        .and()
        .resideOutsideOfPackages("dev.colonnade.cli.demo", "dev.colonnade.cli.demo.story")
        .and()
        .haveNameNotMatching(".*Walkthrough(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.colonnade.cli.demo.story")
        .because("they are there to be copied")
        .check(CLASSES);
  }

  @Test
  void nodesAreSpokenToThroughTheClientLibrary() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.colonnade.cli.local..")
        .and()
        // It says how much gRPC logs, and makes no call.
        .doNotHaveSimpleName("LogLevel")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.grpc..",
            "com.google.common..",
            "com.google.protobuf..",
            "com.google.rpc..",
            "dev.colonnade.v1",
            "dev.colonnade.admin..")
        .because("what a command needs of a node, a program needs too")
        .check(CLASSES);
  }

  @Test
  void onlyTheRoomForPeopleKnowsOfTerminals() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.colonnade.cli.shell.terminal")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.jline..")
        .because("scripts and pipes must not wait for a terminal")
        .check(CLASSES);
  }
}
