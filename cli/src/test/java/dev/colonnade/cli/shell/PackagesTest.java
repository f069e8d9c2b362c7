package dev.colonnade.cli.shell;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What each package of the shell may import of Colonnade and of others, beside the JDK. */
final class PackagesTest {

  private static final String SHELL = "dev.colonnade.cli.shell.";

  /** By package, the packages that it sees beside itself. */
  private static final Map<String, List<String>> IMPORTS =
      Map.of(
          "statement", List.of(),
          "grammar", List.of(SHELL + "statement"),
          "value", List.of(SHELL + "statement", "dev.colonnade.client"),
          "help", List.of(),
          "output", List.of(),
          "copy", List.of("com.google.gson.."),
          "run",
              List.of(
                  SHELL + "statement",
                  SHELL + "grammar",
                  SHELL + "value",
                  SHELL + "output",
                  SHELL + "copy",
                  "dev.colonnade.client"),
          "terminal",
              List.of(
                  SHELL + "grammar",
                  SHELL + "statement",
                  SHELL + "output",
                  SHELL + "run",
                  SHELL + "help",
                  "dev.colonnade.client",
                  "org.jline.."));

  @Test
  void everyPackageImportsOnlyWhatTheTableSays() {
    JavaClasses shell =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.colonnade.cli.shell");
    IMPORTS.forEach(
        (name, imports) ->
            classes()
                .that()
                .resideInAPackage(SHELL + name)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                    Stream.concat(
                            Stream.of(SHELL + name, "java..", "org.jspecify.."), imports.stream())
                        .toArray(String[]::new))
                .because("the table of the shell's packages says so")
                .check(shell));
  }
}
