package io.ocicat.cni.testplugins;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.Result;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.Call;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Netns;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginMain;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * A plugin for the end of a chain: appends every request to the file {@code cniOutput} of its
 * configuration, runs the commands of {@code addHooks}, {@code delHooks} and {@code checkHooks}
 * (lists of words) inside the container's namespace, and changes nothing.
 */
public final class DebugPlugin implements Plugin {
  static void main() {
    PluginMain.main(new DebugPlugin());
  }

  @Override
  public Result add(AddCall call) {
    Result result = call.requirePreviousResult();
    write(call);
    hooks(call, "addHooks", call.netns());
    return result;
  }

  @Override
  public void del(DelCall call) {
    write(call);
    call.netns().ifPresent(netns -> hooks(call, "delHooks", netns));
  }

  @Override
  public void check(CheckCall call) {
    write(call);
    hooks(call, "checkHooks", call.netns());
  }

  private static void write(Call call) {
    ObjectNode request = Json.object();
    call.environment().entrySet().stream()
        .filter(variable -> variable.getKey().startsWith("CNI_"))
        .sorted(Map.Entry.comparingByKey())
        .forEach(variable -> request.put(variable.getKey(), variable.getValue()));
    request.set("stdin", call.config().json());
    call.config()
        .read(in -> in.text("cniOutput").optional())
        .ifPresent(file -> append(Path.of(file), Json.compact(request) + "\n"));
  }

  private static void append(Path file, String line) {
    try {
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e.toString(), e);
    }
  }

  private static void hooks(Call call, String key, Netns netns) {
    for (List<String> words : call.config().read(in -> commands(in, key))) {
      List<String> argv = new ArrayList<>(List.of("nsenter", "--net=" + netns.path(), "--"));
      argv.addAll(words);
      call.log(
          "%s %s: %s"
              .formatted(
                  call.environment().get(CniEnvironment.COMMAND),
                  String.join(" ", words),
                  Command.of(argv).run().stdout().strip()));
    }
  }

  private static List<List<String>> commands(JsonFields in, String key) {
    return in.value(key).items().stream()
        .map(JsonValue::texts)
        .map(words -> words.required())
        .toList();
  }
}
