package io.ocicat.interop.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.ocicat.testkit.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every page of the documentation works as written. Blocks of {@code sh} are typed into a shell,
 * from top to bottom, on the page's own machine; a block of {@code text} right after is compared
 * with the output. Blocks that cannot be run here say why, in a comment before them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocsTest {
  private static final Path ROOT = Path.of("..");

  /** Only bounds what hangs: a page takes seconds. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private static final Set<String> KINDS =
      Set.of("sh", "text", "json", "yaml", "toml", "java", "console");

  /** What {@code ipam-server}'s DocumentTest runs, prompts and all. */
  private static final Path PROTOCOL = Path.of("docs/http-ipam-protocol.md");

  private Path directory;
  private Lab lab;
  private List<Page> pages;

  @BeforeAll
  void layOutTheDistribution(@TempDir Path home) throws IOException {
    directory = home;
    // With the archive, which ./check tries afterwards.
    Command.of("flock", "..", "../dist/build", "--archive").limit(Duration.ofMinutes(5)).run();
    lab = new Lab(directory);
    pages = new ArrayList<>();
    for (Path file : files()) {
      pages.add(Page.read(file));
    }
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of("README.md", "README.zh-CN.md", "examples/README.md").map(ROOT::resolve),
              docs.filter(file -> file.toString().endsWith(".md")))
          .sorted()
          .toList();
    }
  }

  private static Path name(Page page) {
    return ROOT.relativize(page.file());
  }

  @TestFactory
  Stream<DynamicTest> everyCommandDoesWhatThePageSays() {
    return pages.stream()
        .filter(page -> page.blocks().stream().anyMatch(Block::isRun))
        .map(page -> dynamicTest(name(page).toString(), () -> type(page)));
  }

  private void type(Page page) throws IOException {
    List<Block> blocks = page.blocks().stream().filter(Block::isRun).toList();
    Path results = Files.createDirectories(directory.resolve(name(page).toString()));
    List<String> failures = new ArrayList<>();
    for (Lab.Ran ran : lab.type(blocks, results, LIMIT)) {
      judge(page, ran).ifPresent(failures::add);
      if (!ran.reached() || ran.exitCode() != ran.block().exitCode()) {
        break;
      }
    }
    assertThat(failures).isEmpty();
  }

  static Optional<String> judge(Page page, Lab.Ran ran) {
    Block block = ran.block();
    int line = block.line() + ran.failedAt().map(at -> at - 1).orElse(0);
    if (!ran.reached() || ran.exitCode() != block.exitCode()) {
      return Optional.of(
          "%s:%d: exit code %d, not %d, or too slow; it printed:%n%s"
              .formatted(name(page), line, ran.exitCode(), block.exitCode(), ran.out()));
    }
    if (ran.out().contains("WARNING: ")) {
      return Optional.of(
          "%s:%d: a reader is warned by the JVM (review U8):%n%s"
              .formatted(name(page), line, ran.out()));
    }
    return shownBehind(page, block)
        .flatMap(
            shown ->
                Shown.difference(shown.lines(), ran.lines())
                    .map(how -> "%s:%d: %s".formatted(name(page), shown.line(), how)));
  }

  private static Optional<Block> shownBehind(Page page, Block block) {
    int next = page.blocks().indexOf(block) + 1;
    return page.blocks().stream()
        .skip(next)
        .findFirst()
        .filter(behind -> behind.kind().equals("text") && behind.follows());
  }

  @TestFactory
  Stream<DynamicTest> whatIsShownIsWellFormed() {
    return pages.stream()
        .map(page -> dynamicTest(name(page).toString(), () -> assertThatItIsWellFormed(page)));
  }

  private static void assertThatItIsWellFormed(Page page) throws IOException {
    assertThat(page.indented())
        .as("lines of code that do not say what kind they are: use a fence")
        .isEmpty();
    for (Block block : page.blocks()) {
      String place = "%s:%d".formatted(name(page), block.line());
      assertThat(block.kind()).as(place).isIn(KINDS);
      switch (block.kind()) {
        case "json" -> JsonMapper.shared().readTree(block.text());
        case "yaml" ->
            new Load(LoadSettings.builder().build())
                .loadAllFromString(block.text())
                .forEach(document -> assertThat(document).as(place).isNotNull());
        case "java" -> assertThat(examples()).as(place).anyMatch(source -> has(source, block));
        case "console" -> assertThat(name(page)).as(place).isEqualTo(PROTOCOL);
        default -> {}
      }
      block.notRun().ifPresent(why -> System.out.println(place + ": not run: " + why));
    }
  }

  @TestFactory
  Stream<DynamicTest> linksLeadSomewhere() {
    return pages.stream()
        .map(page -> dynamicTest(name(page).toString(), () -> assertThatLinksLeadSomewhere(page)));
  }

  private static void assertThatLinksLeadSomewhere(Page page) throws IOException {
    for (String link : page.links()) {
      if (link.matches("https?:.*")) {
        continue;
      }
      String[] parts = link.split("#", 2);
      Path target =
          parts[0].isEmpty() ? page.file() : page.file().resolveSibling(parts[0]).normalize();
      assertThat(target).as(link).exists();
      if (parts.length == 2) {
        assertThat(Page.read(target).hasAnchor(parts[1])).as(link).isTrue();
      }
    }
  }

  /** Java that is shown is part of a program that is compiled, and tested, with the build. */
  private static List<String> examples() throws IOException {
    try (Stream<Path> sources = Files.walk(ROOT.resolve("examples/src/main/java"))) {
      return sources
          .filter(file -> file.toString().endsWith(".java"))
          .map(DocsTest::withoutIndent)
          .toList();
    }
  }

  private static String withoutIndent(Path file) {
    try {
      return withoutIndent(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String withoutIndent(String text) {
    return text.lines().map(String::strip).collect(Collectors.joining("\n"));
  }

  private static boolean has(String source, Block block) {
    return source.contains(withoutIndent(block.text()));
  }
}
