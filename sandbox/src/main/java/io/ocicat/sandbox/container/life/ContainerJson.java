package io.ocicat.sandbox.container.life;

import static io.ocicat.sandbox.store.ResourcesJson.number;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerUser;
import io.ocicat.sandbox.container.life.StoredContainer.Exit;
import io.ocicat.sandbox.container.life.StoredContainer.Phase;
import io.ocicat.sandbox.infra.ProcessId;
import io.ocicat.sandbox.store.ResourcesJson;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Converts the records of containers to JSON and back. */
final class ContainerJson {
  private ContainerJson() {}

  static byte[] write(StoredContainer record) {
    ObjectNode json = Json.object();
    json.put("id", record.id());
    json.put("sandboxId", record.sandboxId());
    json.put("createdAt", record.createdAt());
    json.put("bootId", record.bootId());
    json.put("phase", record.phase().name());
    json.put("imageId", record.imageId());
    json.put("imageRef", record.imageRef());
    json.put("logPath", record.logPath());
    json.put("group", record.group());
    json.put("stopSignal", record.stopSignal());
    json.set("process", process(record.process()));
    json.set("monitor", process(record.monitor()));
    ObjectNode user =
        json.putObject("user").put("uid", record.user().uid()).put("gid", record.user().gid());
    user.set("groups", numbers(record.user().groups()));
    json.set("resources", ResourcesJson.write(record.resources()));
    json.put("startedAt", record.startedAt());
    json.putObject("exit")
        .put("finishedAt", record.exit().finishedAt())
        .put("code", record.exit().code())
        .put("reason", record.exit().reason())
        .put("message", record.exit().message());
    json.set("config", ConfigJson.write(record.config()));
    json.put("request", record.request());
    return Json.compactBytes(json);
  }

  /** As texts: a list of numbers is nothing that our reader knows. */
  static ArrayNode numbers(List<Long> numbers) {
    return Json.array(numbers.stream().map(Object::toString).toList());
  }

  static List<Long> readNumbers(JsonFields in, String name) {
    return in.texts(name).or(List.of()).stream().map(Long::valueOf).toList();
  }

  private static ObjectNode process(ProcessId process) {
    return Json.object().put("pid", process.pid()).put("startTicks", process.startTicks());
  }

  private static ProcessId readProcess(JsonFields in) {
    return new ProcessId(number(in, "pid"), number(in, "startTicks"));
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws SandboxException with {@link Reason#CORRUPT} when it is damaged
   */
  static StoredContainer read(String id, byte[] bytes) {
    try {
      if (CniJson.parse(bytes) instanceof ObjectNode document) {
        StoredContainer record = CniJson.read(document, ContainerJson::read);
        if (record.id().equals(id)) {
          return record;
        }
        throw damaged(id, "it is about " + record.id());
      }
      throw damaged(id, "it is not a JSON object");
    } catch (CniException | NumberFormatException e) {
      throw damaged(id, SandboxException.text(e));
    }
  }

  private static SandboxException damaged(String id, String why) {
    return new SandboxException(
        Reason.CORRUPT,
        "the record of container %s is damaged: %s; remove the container".formatted(id, why));
  }

  private static StoredContainer read(JsonFields in) {
    JsonFields user = in.object("user");
    JsonFields exit = in.object("exit");
    return new StoredContainer(
        in.text("id").required(),
        in.text("sandboxId").required(),
        number(in, "createdAt"),
        in.text("bootId").or(""),
        ConfigJson.read(in.object("config")),
        in.text("imageId").or(""),
        in.text("imageRef").or(""),
        in.text("logPath").or(""),
        in.text("group").or(""),
        in.text("stopSignal").or(""),
        in.text("request").or(""),
        in.choice("phase", Phase.values(), Phase::name).required(),
        readProcess(in.object("process")),
        readProcess(in.object("monitor")),
        new ContainerUser(number(user, "uid"), number(user, "gid"), readNumbers(user, "groups")),
        ResourcesJson.read(in.object("resources")),
        number(in, "startedAt"),
        new Exit(
            number(exit, "finishedAt"),
            (int) number(exit, "code"),
            exit.text("reason").or(""),
            exit.text("message").or("")));
  }
}
