package io.ocicat.cni.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfDirectoryTest {
  @TempDir Path directory;
  private ConfDirectory conf;

  @BeforeEach
  void open() {
    conf = new ConfDirectory(directory);
  }

  private Path write(String file, String content) throws IOException {
    Path path = directory.resolve(file);
    Files.createDirectories(path.getParent());
    return Files.writeString(path, content);
  }

  private static String list(String name, String... types) {
    return "{\"name\":\"%s\",\"cniVersion\":\"1.0.0\",\"plugins\":[%s]}"
        .formatted(name, plugins(types));
  }

  private static String plugins(String... types) {
    return String.join(",", List.of(types).stream().map("{\"type\":\"%s\"}"::formatted).toList());
  }

  private static String single(String name, String type) {
    return "{\"name\":\"%s\",\"cniVersion\":\"0.4.0\",\"type\":\"%s\"}".formatted(name, type);
  }

  private List<String> types(String network) {
    return conf.load(network).list().plugins().stream().map(PluginConfig::type).toList();
  }

  private List<String> problems() {
    return conf.list().problems().stream()
        .map(ConfProblem::toString)
        .map(text -> text.replace(directory + "/", ""))
        .toList();
  }

  private void refuses(String network, String message) {
    assertThatThrownBy(() -> conf.load(network))
        .isInstanceOf(CniException.class)
        .hasMessage(message.replace("$DIR", directory.toString()));
  }

  @Test
  void loadsAListByName() throws IOException {
    Path file = write("10-blue.conflist", list("blue", "bridge", "portmap"));
    write("20-red.conflist", list("red", "ptp"));
    NetworkFile blue = conf.load("blue");
    assertThat(blue.file()).isEqualTo(file);
    assertThat(blue.name()).isEqualTo("blue");
    assertThat(blue.folderFiles()).isEmpty();
    assertThat(blue.list().bytes()).isEqualTo(Files.readAllBytes(file));
    assertThat(types("blue")).containsExactly("bridge", "portmap");
    assertThat(types("red")).containsExactly("ptp");
  }

  @ParameterizedTest
  @ValueSource(strings = {"10-x.conf", "10-x.json", ".conf"})
  void makesAListOfASinglePlugin(String file) throws IOException {
    write(file, single("blue", "bridge"));
    assertThat(types("blue")).containsExactly("bridge");
    assertThat(conf.load("blue").list().effectiveVersion()).isEqualTo("0.4.0");
  }

  @Test
  void prefersAListToASinglePluginThatSortsEarlier() throws IOException {
    write("10-blue.conf", single("blue", "single"));
    write("49-blue.conflist", list("blue", "first"));
    write("50-blue.conflist", list("blue", "second"));
    assertThat(types("blue")).containsExactly("first");
  }

  @Test
  void findsSinglePluginsBehindLists() throws IOException {
    write("10-red.conflist", list("red", "bridge"));
    write("20-blue.json", single("blue", "json"));
    write("30-blue.conf", single("blue", "conf"));
    assertThat(types("blue")).containsExactly("json");
  }

  @Test
  void saysWhenThereAreNoConfigurationsAtAll() throws IOException {
    refuses("blue", "no net configurations found in $DIR");
    write("notes.txt", list("blue", "a"));
    write("10-blue.conflist.bak", list("blue", "a"));
    write("10-blue.CONFLIST", list("blue", "a"));
    Files.createDirectories(directory.resolve("20-blue.conflist"));
    refuses("blue", "no net configurations found in $DIR");
    conf = new ConfDirectory(directory.resolve("missing"));
    assertThatThrownBy(() -> conf.load("blue"))
        .isInstanceOf(NetworkNotFoundException.class)
        .hasMessage("no net configurations found in " + directory.resolve("missing"));
    assertThat(conf.list()).isEqualTo(new ConfListing(List.of(), List.of()));
    assertThat(conf.first()).isEmpty();
  }

  @Test
  void saysWhenNoFileHasTheName() throws IOException {
    write("10-red.conflist", list("red", "a"));
    assertThatThrownBy(() -> conf.load("blue")).isInstanceOf(NetworkNotFoundException.class);
    refuses("blue", "no net configuration with name \"blue\" in $DIR");
  }

  @Test
  void saysWhatIsNoDirectory() throws IOException {
    conf = new ConfDirectory(write("file", ""));
    refuses("blue", "cannot list the directory $DIR/file: not a directory");
  }

  @Test
  void ignoresNestedDirectories() throws IOException {
    write("nested/10-blue.conflist", list("blue", "a"));
    write("nested/11-blue.conf", single("blue", "a"));
    write("10-red.conflist", list("red", "a"));
    refuses("blue", "no net configuration with name \"blue\" in $DIR");
  }

  @Test
  void aMalformedFileDoesNotHideTheNetworksBehindIt() throws IOException {
    write("00-bad.conflist", "{");
    write("05-list.conf", list("green", "a"));
    write("10-blue.conflist", list("blue", "a"));
    write("20-red.conf", single("red", "b"));
    assertThat(types("blue")).containsExactly("a");
    assertThat(types("red")).containsExactly("b");
    assertThat(conf.list().networks()).extracting(NetworkFile::name).containsExactly("blue", "red");
    assertThat(problems())
        .hasSize(2)
        .satisfiesExactly(
            p -> assertThat(p).startsWith("00-bad.conflist:1:2: not valid JSON: "),
            p ->
                assertThat(p)
                    .isEqualTo(
                        "05-list.conf: type is missing: this is a list, name the file .conflist"));
  }

  @Test
  void aNetworkThatIsMissingMayBeInAFileThatCannotBeUsed() throws IOException {
    write("00-bad.conflist", "{\"name\":\"blue\",");
    write("10-red.conflist", list("red", "a"));
    assertThatThrownBy(() -> conf.load("blue"))
        .isInstanceOf(NetworkNotFoundException.class)
        .hasMessageStartingWith(
            "no net configuration with name \"blue\" in " + directory + "; some files")
        .hasMessageContaining(
            "00-bad.conflist:1:16: not valid JSON: it ends before the object does");
  }

  @Test
  void aBrokenFileKeepsItsNameFromOthers() throws IOException {
    write("10-blue.conflist", "{\"name\":\"blue\",\"plugins\":[{\"type\":5}]}");
    write("20-blue.conflist", list("blue", "a"));
    refuses(
        "blue",
        "error parsing configuration list: $DIR/10-blue.conflist: plugins[0].type must be a"
            + " string, not 5");
    assertThat(conf.list().networks()).isEmpty();
    assertThat(problems())
        .containsExactly(
            "10-blue.conflist: plugins[0].type must be a string, not 5",
            "20-blue.conflist: name \"blue\" is already the name of the network in"
                + " 10-blue.conflist");
    write("10-blue.conflist", list("other", "a"));
    write("20-blue.conflist", "[]");
    write("30-blue.conf", "{\"name\":\"blue\"}");
    refuses("blue", "error parsing configuration: $DIR/30-blue.conf: type is missing");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[]|the document must be an object, not a list",
        "{}|name is missing",
        "{\"NAME\":\"n\"}|name is missing",
        "{\"name\":null}|name is missing",
        "{\"name\":5}|name must be a string, not 5",
        "{\"name\":\"\"}|name must be letters, digits, _ . and - beginning with a letter or digit, not \"\"",
        "{\"name\":\"../x\",\"plugins\":[{\"type\":\"a\"}]}|name must be letters, digits, _ . and - beginning with a letter or digit, not \"../x\"",
        "{\"name\":\"n\",\"cniVersion\":1}|cniVersion must be a string, not 1",
        "{\"name\":\"n\",\"cniVersions\":\"1.0.0\"}|cniVersions must be a list, not \"1.0.0\"",
        "{\"name\":\"n\",\"cniVersions\":[\"1.0.0\",1]}|cniVersions[1] must be a string, not 1",
        "{\"name\":\"n\",\"cniVersions\":[\"one\"]}|cniVersions[0] must be a version such as 1.0.0, not \"one\"",
        "{\"name\":\"n\",\"disableCheck\":\"perhaps\"}|disableCheck must be true or false, not \"perhaps\"",
        "{\"name\":\"n\",\"disableGC\":[]}|disableGC must be true or false, not a list",
        "{\"name\":\"n\",\"loadOnlyInlinedPlugins\":0}|loadOnlyInlinedPlugins must be true or false, not 0",
        "{\"name\":\"n\",\"loadOnlyInlinedPlugins\":true}|error parsing configuration list: `loadOnlyInlinedPlugins` is true, and no 'plugins' key",
        "{\"name\":\"n\",\"plugins\":{}}|plugins must be a list, not an object",
        "{\"name\":\"n\",\"plugins\":null}|plugins must be a list, not null",
        "{\"name\":\"n\",\"plugins\":[]}|plugins must have at least one plugin",
        "{\"name\":\"n\",\"plugins\":[null]}|plugins[0] must be an object, not null; plugins[0].type is missing",
        "{\"name\":\"n\",\"plugins\":[{\"type\":\"a\"},{}]}|plugins[1].type is missing",
        "{\"name\":\"n\",\"plugins\":[{\"type\":\"\"}]}|plugins[0].type must be the name of an executable, not \"\"",
        "{\"name\":\"n\",\"plugins\":[{\"type\":\"../a\"}]}|plugins[0].type must be the name of an executable, not \"../a\"",
        "{\"name\":\"n\",\"plugins\":[{\"type\":\"a\",\"capabilities\":{\"mac\":\"yes\"}}]}|plugins[0].capabilities.mac must be true or false, not \"yes\"",
        "{\"name\":\"n\",\"plugins\":[{\"type\":\"a\",\"ipam\":{\"type\":1}}]}|plugins[0].ipam.type must be a string, not 1",
        "{\"name\":\"n\",\"plugins\":[{\"type\":\"a\",\"dns\":{\"search\":[1]}}]}|plugins[0].dns.search[0] must be a string, not 1",
      })
  void namesTheFieldAndTheReason(String content, String reason) throws IOException {
    write("10-n.conflist", content);
    assertThat(conf.list().networks()).isEmpty();
    assertThat(String.join("; ", problems()).replace("10-n.conflist: ", ""))
        .isEqualTo(reason.replace("the document ", ""));
  }

  @Test
  void namesEveryBadFieldOfAFileAtOnce() throws IOException {
    write(
        "10-n.conflist",
        "{\"name\":\"a b\",\"cniVersion\":1,\"disableGC\":5,\"plugins\":[{},{\"type\":[]}]}");
    assertThat(conf.list().problems())
        .extracting(ConfProblem::path)
        .containsExactly("name", "cniVersion", "disableGC", "plugins[0].type", "plugins[1].type");
  }

  @Test
  void aSinglePluginMustNameItsNetwork() throws IOException {
    write("10-n.conf", "{\"type\":\"a\"}");
    assertThat(problems()).containsExactly("10-n.conf: name is missing");
  }

  @Test
  void unreadableFilesAreProblems() throws IOException {
    Files.createSymbolicLink(directory.resolve("10-gone.conflist"), Path.of("nowhere"));
    Command.of("mkfifo", directory.resolve("20-pipe.conf").toString()).run();
    Files.write(directory.resolve("30-big.conflist"), new byte[(4 << 20) + 1]);
    write("40-blue.conflist", list("blue", "a"));
    assertThat(problems())
        .containsExactly(
            "10-gone.conflist: cannot be read: no such file or directory",
            "20-pipe.conf: cannot be read: not a regular file",
            "30-big.conflist: cannot be read: it has 4194305 bytes, at most 4194304 are read");
    assertThat(types("blue")).containsExactly("a");
  }

  @Test
  void followsSymbolicLinksToFiles(@TempDir Path elsewhere) throws IOException {
    Path real = Files.writeString(elsewhere.resolve("real"), list("blue", "a"));
    Files.createSymbolicLink(directory.resolve("10-blue.conflist"), real);
    assertThat(types("blue")).containsExactly("a");
  }

  @Test
  void theFirstUsableFileInLexicalOrderIsTheDefault() throws IOException {
    write("00-bad.conflist", "{");
    write("30-red.conflist", list("red", "c"));
    Path file = write("10-blue.conf", single("blue", "a"));
    write("20-blue.conflist", list("blue", "b"));
    assertThat(conf.first().map(NetworkFile::file)).isEqualTo(Optional.of(file));
  }

  @Test
  void sortsFileNamesByTheirBytes() throws IOException {
    write("\ud83d\ude00.conflist", list("beyond-the-bmp", "a"));
    write("\uffe5.conflist", list("within", "a"));
    assertThat(conf.first().map(NetworkFile::name)).hasValue("within");
  }

  @Test
  void inlinedPluginsNeedNoFolder() throws IOException {
    write("10-blue.conflist", list("blue", "a"));
    assertThat(types("blue")).containsExactly("a");
    Files.createDirectories(directory.resolve("blue"));
    assertThat(types("blue")).containsExactly("a");
  }

  @Test
  void aFolderOfTheNetworksNameAddsPluginsBehindTheInlinedOnes() throws IOException {
    write("10-blue.conflist", list("blue", "a", "b"));
    Path late = write("blue/20-x.conf", "{\"type\":\"d\"}");
    Path early = write("blue/10-y.conf", "{\"type\":\"c\"}");
    write("blue/30-z.conflist", list("z", "z"));
    write("blue/readme", "no plugin");
    write("blue/40.conf/nested.conf", "{\"type\":\"z\"}");
    assertThat(types("blue")).containsExactly("a", "b", "c", "d");
    assertThat(conf.load("blue").folderFiles()).containsExactly(early, late);
    assertThat(conf.list().networks()).hasSize(1);
    assertThat(problems()).isEmpty();
  }

  @Test
  void aFolderAloneMakesANetwork() throws IOException {
    write("10-blue.conflist", "{\"name\":\"blue\",\"cniVersion\":\"1.0.0\"}");
    write("blue/10.conf", "{\"type\":\"a\"}");
    assertThat(types("blue")).containsExactly("a");
  }

  @Test
  void theFolderIsIgnoredWhenTheListSaysSo() throws IOException {
    write(
        "10-blue.conflist",
        "{\"name\":\"blue\",\"loadOnlyInlinedPlugins\":true,\"plugins\":[{\"type\":\"a\"}]}");
    write("blue/10.conf", "{");
    assertThat(types("blue")).containsExactly("a");
  }

  @Test
  void neitherPluginsNorFolderIsAProblem() throws IOException {
    write("10-blue.conflist", "{\"name\":\"blue\"}");
    String problem =
        "plugins is missing and " + directory + "/blue has none: no plugin configs found";
    assertThat(problems())
        .containsExactly("10-blue.conflist: " + problem.replace(directory + "/", ""));
    refuses("blue", "error parsing configuration list: $DIR/10-blue.conflist: " + problem);
  }

  @Test
  void aBadFileInTheFolderMakesTheNetworkUnusable() throws IOException {
    write("10-blue.conflist", list("blue", "a"));
    write("blue/10.conf", "{\"type\":\"../b\"}");
    write("blue/20.conf", "{");
    write("20-red.conflist", list("red", "a"));
    assertThat(conf.list().networks()).extracting(NetworkFile::name).containsExactly("red");
    assertThat(problems())
        .satisfiesExactly(
            p ->
                assertThat(p)
                    .isEqualTo(
                        "blue/10.conf: type must be the name of an executable, not \"../b\""),
            p -> assertThat(p).startsWith("blue/20.conf:1:2: not valid JSON: "));
  }

  @Test
  void aFolderThatIsNoneIsAProblem() throws IOException {
    write("10-blue.conflist", list("blue", "a"));
    write("blue", "");
    assertThat(problems())
        .containsExactly(
            "10-blue.conflist: failed to read plugin config files in blue: cannot list the"
                + " directory blue: not a directory");
  }

  @Test
  void followsASymbolicLinkToAFolder(@TempDir Path elsewhere) throws IOException {
    Files.writeString(elsewhere.resolve("10.conf"), "{\"type\":\"b\"}");
    write("10-blue.conflist", list("blue", "a"));
    Files.createSymbolicLink(directory.resolve("blue"), elsewhere);
    assertThat(types("blue")).containsExactly("a", "b");
  }

  @Test
  void aNameCannotLeadToAFolderElsewhere(@TempDir Path elsewhere) throws IOException {
    Files.writeString(elsewhere.resolve("10.conf"), "{\"type\":\"evil\"}");
    String name = "../" + elsewhere.getFileName();
    write("10.conflist", "{\"name\":\"%s\"}".formatted(name));
    assertThat(conf.list().networks()).isEmpty();
    assertThatThrownBy(() -> conf.load(name)).hasMessageContaining("name must be letters");
  }
}
