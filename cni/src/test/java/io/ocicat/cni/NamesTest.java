package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"a", "0", "a..b", "a-", "A_b.C-9", "cnitool-77383ca0a0715733ca6f"})
  void acceptsIdsAndNames(String text) {
    assertThat(new ContainerId(text)).hasToString(text);
    assertThat(new NetworkName(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-a", ".", "..", "../x", "a/b", "a b", "a\n", "_a", "é", "٣", "a\u0000"})
  void refusesIdsAndNamesWithOtherCharacters(String text) {
    fails(() -> new ContainerId(text), 4, "invalid characters in containerID", text);
    fails(() -> new NetworkName(text), 7, "invalid characters found in network name", text);
  }

  @Test
  void refusesEmptyIdsAndNames() {
    fails(() -> new ContainerId(""), 3, "missing containerID", "");
    fails(() -> new NetworkName(""), 7, "missing network name:", "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"eth0", "a", "...", "fifteen-chars-x", "é", "cali-12@x", "wg0.1"})
  void acceptsInterfaceNames(String text) {
    assertThat(new InterfaceName(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sixteen-chars-xx", "ééééééé12"})
  void refusesInterfaceNamesOfMoreThanFifteenBytes(String text) {
    fails(
        () -> new InterfaceName(text),
        4,
        "interface name is too long",
        "interface name should be less than 16 characters");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a/b", "a:b", "a b", "a\tb", "a\n", "a\u0085", "a\u00a0", "a\u2007", "a\u3000", "a\u0000"
      })
  void refusesInterfaceNamesWithSeparatorsAndSpaces(String text) {
    fails(
        () -> new InterfaceName(text),
        4,
        "interface name contains / or : or whitespace characters",
        "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"eth%d", "%", "eth%%", "100%"})
  void refusesInterfaceNamesThatTheKernelWouldComplete(String text) {
    fails(
        () -> new InterfaceName(text),
        4,
        "interface name contains %",
        "the kernel takes it for a template, as in eth%d");
  }

  @Test
  void refusesInterfaceNamesThatArePaths() {
    fails(() -> new InterfaceName(""), 4, "interface name is empty", "");
    fails(() -> new InterfaceName("."), 4, "interface name is . or ..", "");
    fails(() -> new InterfaceName(".."), 4, "interface name is . or ..", "");
  }

  @Test
  void refusesWhatCanBeNoFileNameOrWouldSpeakToTerminals() {
    fails(
        () -> new InterfaceName("a\u001b[2J"),
        4,
        "interface name contains control characters",
        "it is \"a\\x1b[2J\"");
    assertThatThrownBy(() -> new InterfaceName("a\ufffd"))
        .hasMessageStartingWith("interface name \"a");
    assertThatThrownBy(() -> new InterfaceName("a\ud800"))
        .hasMessageStartingWith("interface name \"a");
    fails(
        () -> new PluginType("a\u001b"),
        7,
        "invalid plugin name: \"a\\x1b\"",
        "it has control characters");
    assertThatThrownBy(() -> new PluginType("a\ud800"))
        .hasMessageStartingWith("invalid plugin name: \"a");
  }

  @Test
  void refusesPluginTypesThatArePaths() {
    assertThat(new PluginType("host-local")).hasToString("host-local");
    fails(() -> new PluginType(""), 7, "no plugin name provided", "");
    fails(() -> new PluginType("../bridge"), 7, "invalid plugin name: ../bridge", "");
    fails(() -> new PluginType("a\\b"), 7, "invalid plugin name: a\\b", "");
    fails(() -> new PluginType(".."), 7, "invalid plugin name: ..", "");
  }

  private static void fails(ThrowingCallable call, int code, String msg, String details) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            CniException.class,
            e -> {
              assertThat(e.code().value()).isEqualTo(code);
              assertThat(e.msg()).isEqualTo(msg);
              assertThat(e.details()).isEqualTo(details);
            });
  }
}
