package dev.colonnade.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The shell and the administration are clients like any other. */
final class ArchitectureTest {

  @Test
  void onlyTheLocalCommandsSeeTheServer() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.colonnade.cli.local..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.colonnade.server..")
        .because("only what runs a node in this process may know how one is made")
        .check(
            new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.colonnade.cli"));
  }
}
