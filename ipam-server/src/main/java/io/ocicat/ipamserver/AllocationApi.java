package io.ocicat.ipamserver;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniJson;
import io.ocicat.ipamserver.Allocations.Allocated;
import io.ocicat.ipamserver.Allocations.Level;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The calls of the protocol, each from a request to a response. Thread-safe. */
record AllocationApi(Allocations allocations) {
  private static final int MAX_BODY = 64 << 10;

  /** Enough for the attachments of a node with tens of thousands of containers. */
  private static final int MAX_GC_BODY = CniJson.MAX_BYTES;

  private static final int USUAL_PAGE = 500;
  private static final int LARGEST_PAGE = 1000;

  /**
   * Answers an authenticated request.
   *
   * @throws ApiError for an unknown call, or one that is refused
   */
  ApiResponse answer(ApiRequest request) throws IOException {
    List<String> path = request.path();
    String first = path.isEmpty() ? "" : path.getFirst();
    return switch (first + "/" + path.size()) {
      case "health/1" -> only("GET", request, () -> health(request));
      case "gc/1" -> only("POST", request, () -> collect(request));
      case "allocations/1" ->
          switch (request.method()) {
            case "POST" -> allocate(request);
            case "GET" -> list(request);
            default -> throw wrongMethod(request, "GET, POST");
          };
      case "allocations/3" -> {
        if (!path.get(2).equals("renew")) {
          throw unknown(request);
        }
        yield only("POST", request, () -> renew(path.get(1), request));
      }
      case "allocations/4" -> {
        AllocationKey key = new AllocationKey(path.get(1), path.get(2), path.get(3));
        yield switch (request.method()) {
          case "GET" -> get(key, request);
          case "DELETE" -> release(key, request);
          default -> throw wrongMethod(request, "GET, DELETE");
        };
      }
      default -> throw unknown(request);
    };
  }

  private interface Call {
    ApiResponse answer() throws IOException;
  }

  private static ApiResponse only(String method, ApiRequest request, Call call) throws IOException {
    if (!request.method().equals(method)) {
      throw wrongMethod(request, method);
    }
    return call.answer();
  }

  private static ApiError wrongMethod(ApiRequest request, String allowed) {
    return ApiError.methodNotAllowed(
        "%s is not possible here: use %s".formatted(Quoted.brief(request.method()), allowed));
  }

  private static ApiError unknown(ApiRequest request) {
    return ApiError.notFound(
        "there is nothing at "
            + Quoted.brief(String.valueOf(request.exchange().getRequestURI().getRawPath())));
  }

  private ApiResponse allocate(ApiRequest request) throws IOException {
    AllocationRequest wanted = AllocationRequest.read(request.body(MAX_BODY));
    String digest = wanted.key().digest();
    if (!request.header("Idempotency-Key").orElse(digest).equals(digest)) {
      throw ApiError.badRequest(
          "Idempotency-Key must be %s, the SHA-256 of network, containerId and ifName"
              .formatted(digest));
    }
    Allocated allocated = allocations.allocate(wanted);
    return new ApiResponse(allocated.created() ? 201 : 200, allocated.allocation().toJson());
  }

  private ApiResponse get(AllocationKey key, ApiRequest request) {
    request.query(Set.of());
    return new ApiResponse(200, allocations.get(key).toJson());
  }

  private ApiResponse release(AllocationKey key, ApiRequest request) {
    String id = request.query(Set.of("allocationId")).get("allocationId");
    allocations.release(key, id == null ? OptionalLong.empty() : OptionalLong.of(id(id)));
    return new ApiResponse(204, null);
  }

  private ApiResponse list(ApiRequest request) {
    Map<String, String> query =
        request.query(Set.of("network", "node", "containerId", "limit", "cursor"));
    int limit = limit(query.getOrDefault("limit", ""));
    String cursor = query.getOrDefault("cursor", "");
    AllocationStore.Filter filter =
        new AllocationStore.Filter(
            query.get("network"), query.get("node"), query.get("containerId"));
    // One more than requested shows whether there are more.
    List<Allocation> found = allocations.list(filter, cursor.isEmpty() ? 0 : id(cursor), limit + 1);
    List<Allocation> page = found.size() > limit ? found.subList(0, limit) : found;
    ObjectNode body = Json.object();
    ArrayNode items = body.putArray("items");
    page.forEach(allocation -> items.add(allocation.toJson()));
    body.put("nextCursor", found.size() > limit ? page.getLast().idText() : "");
    return new ApiResponse(200, body);
  }

  private static int limit(String text) {
    if (text.isEmpty()) {
      return USUAL_PAGE;
    }
    try {
      int limit = Integer.parseInt(text);
      if (limit >= 1 && limit <= LARGEST_PAGE) {
        return limit;
      }
    } catch (NumberFormatException _) {
      // Rejected with the others.
    }
    throw ApiError.badRequest(
        "limit must be 1–%d, not %s".formatted(LARGEST_PAGE, Quoted.brief(text)));
  }

  private ApiResponse renew(String id, ApiRequest request) throws IOException {
    JsonFields in = JsonFields.of(request.body(MAX_BODY));
    long seconds =
        in.longInteger("leaseSeconds", 0, AllocationRequest.MAX_LEASE_SECONDS).required();
    refuseIfAny(in);
    return new ApiResponse(200, allocations.renew(id(id), seconds).toJson());
  }

  private ApiResponse collect(ApiRequest request) throws IOException {
    JsonFields in = JsonFields.of(request.body(MAX_GC_BODY));
    String network = in.text("network").required();
    String node = in.text("node").required();
    if (!in.has("valid")) {
      // An empty list says that nothing is in use; no list says nothing.
      in.problem("valid", "is missing");
    }
    Set<AllocationKey> valid = new HashSet<>();
    for (JsonFields item : in.objects("valid")) {
      String containerId = item.text("containerId").required();
      String ifName = item.text("ifName").required();
      if (in.problems().isEmpty()) {
        valid.add(new AllocationKey(network, containerId, ifName));
      }
    }
    refuseIfAny(in);
    int released = allocations.collect(network, node, valid);
    return new ApiResponse(200, Json.object().put("released", released));
  }

  private ApiResponse health(ApiRequest request) {
    request.query(Set.of());
    ObjectNode body = Json.object().put("status", "ok");
    ArrayNode pools = body.putArray("pools");
    for (Level level : allocations.levels()) {
      pools
          .addObject()
          .put("name", level.pool())
          .put("family", level.family().text())
          .put("capacity", level.level().capacity())
          .put("used", level.level().used())
          .put("resting", level.level().resting());
    }
    return new ApiResponse(200, body);
  }

  private static long id(String text) {
    long id = Allocation.parseId(text);
    if (id < 0) {
      throw ApiError.badRequest(Quoted.brief(text) + " is not the id of an allocation");
    }
    return id;
  }

  private static void refuseIfAny(JsonFields in) {
    if (!in.problems().isEmpty()) {
      throw ApiError.badRequest(in.problems().describe());
    }
  }
}
