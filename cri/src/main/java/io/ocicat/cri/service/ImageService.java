package io.ocicat.cri.service;

import io.grpc.MethodDescriptor.MethodType;
import io.ocicat.cri.grpc.RpcService;
import io.ocicat.cri.message.ContainerConfigMessages.ImageSpec;
import io.ocicat.cri.message.ImageMessages;
import io.ocicat.cri.message.ImageMessages.AuthConfig;
import io.ocicat.cri.message.ImageMessages.ImageFsInfoRequest;
import io.ocicat.cri.message.ImageMessages.ImageFsInfoResponse;
import io.ocicat.cri.message.ImageMessages.ImageStatusRequest;
import io.ocicat.cri.message.ImageMessages.ImageStatusResponse;
import io.ocicat.cri.message.ImageMessages.ListImagesRequest;
import io.ocicat.cri.message.ImageMessages.ListImagesResponse;
import io.ocicat.cri.message.ImageMessages.PullImageRequest;
import io.ocicat.cri.message.ImageMessages.PullImageResponse;
import io.ocicat.cri.message.ImageMessages.RemoveImageRequest;
import io.ocicat.cri.message.RuntimeMessages.EmptyResponse;
import io.ocicat.cri.message.StatsMessages.FilesystemIdentifier;
import io.ocicat.cri.message.StatsMessages.FilesystemUsage;
import io.ocicat.image.Image;
import io.ocicat.image.ImageReference;
import io.ocicat.image.ImageStore.StoreUsage;
import io.ocicat.image.PullEvent;
import io.ocicat.image.RegistryCredentials;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The methods of {@code runtime.v1.ImageService}. */
public final class ImageService {
  private final CriParts parts;

  private ImageService(CriParts parts) {
    this.parts = parts;
  }

  public static RpcService of(CriParts parts, Consumer<String> log) {
    ImageService images = new ImageService(parts);
    return new RpcService("runtime.v1.ImageService", new StatusCodes(log))
        .method("ListImages", ListImagesRequest::read, images::list)
        .method("ImageStatus", ImageStatusRequest::read, images::status)
        .method("PullImage", PullImageRequest::read, images::pull)
        .method("RemoveImage", RemoveImageRequest::read, images::remove)
        .method("ImageFsInfo", ImageFsInfoRequest::read, images::usage)
        .unsupported(
            MethodType.SERVER_STREAMING,
            "StreamImages",
            "streamed lists are not supported: use ListImages");
  }

  private ListImagesResponse list(ListImagesRequest request) {
    ImageSpec wanted = request.filter() == null ? null : request.filter().image();
    List<Image> found =
        wanted == null || wanted.image().isEmpty()
            ? parts.images().list()
            : parts.images().find(wanted.image()).stream().toList();
    return new ListImagesResponse(found.stream().map(ImageService::message).toList());
  }

  private ImageStatusResponse status(ImageStatusRequest request) {
    Optional<Image> image = parts.images().find(name(request.image()));
    return new ImageStatusResponse(
        image.map(ImageService::message).orElse(null),
        request.verbose() && image.isPresent()
            ? VerboseInfo.of(image.get(), parts.images().rawConfig(image.get()))
            : Map.of());
  }

  private PullImageResponse pull(PullImageRequest request) {
    ImageReference reference;
    try {
      reference = ImageReference.parse(name(request.image()));
    } catch (IllegalArgumentException e) {
      throw Required.invalid("image.image: " + e.getMessage());
    }
    Image image =
        parts.images().pull(reference, credentials(request.auth()), PullEvent.Listener.NOBODY);
    return new PullImageResponse(image.id().toString());
  }

  private static RegistryCredentials credentials(@Nullable AuthConfig auth) {
    if (auth == null) {
      return RegistryCredentials.NONE;
    }
    RegistryCredentials credentials;
    if (!auth.username().isEmpty()) {
      credentials = RegistryCredentials.basic(auth.username(), auth.password());
    } else if (!auth.identityToken().isEmpty()) {
      credentials = new RegistryCredentials("", "", auth.identityToken(), "", "");
    } else if (!auth.auth().isEmpty()) {
      try {
        credentials = RegistryCredentials.ofAuth(auth.auth());
      } catch (IllegalArgumentException e) {
        throw Required.invalid("auth." + e.getMessage());
      }
    } else if (!auth.registryToken().isEmpty()) {
      credentials = new RegistryCredentials("", "", "", auth.registryToken(), "");
    } else {
      return RegistryCredentials.NONE;
    }
    return credentials.onlyFor(host(auth.serverAddress()));
  }

  /** docker's configuration has addresses such as https://index.docker.io/v1/. */
  private static String host(String address) {
    String host = address.replaceFirst("^[a-z]+://", "");
    int slash = host.indexOf('/');
    return slash < 0 ? host : host.substring(0, slash);
  }

  private EmptyResponse remove(RemoveImageRequest request) {
    parts.images().remove(name(request.image()));
    return new EmptyResponse();
  }

  private ImageFsInfoResponse usage(ImageFsInfoRequest request) {
    StoreUsage usage = parts.images().usage();
    FilesystemUsage message =
        new FilesystemUsage(
            SandboxCalls.nanos(parts.clock().instant()),
            new FilesystemIdentifier(usage.mountPoint().toString()),
            usage.bytes(),
            usage.inodes());
    return new ImageFsInfoResponse(List.of(message), List.of(message));
  }

  private static String name(@Nullable ImageSpec image) {
    return Required.text("image.image", Required.present("image", image).image());
  }

  /** A user that is a number goes to uid, any other to username; the group stays out. */
  private static ImageMessages.Image message(Image image) {
    String user = image.config().user();
    int colon = user.indexOf(':');
    String name = colon < 0 ? user : user.substring(0, colon);
    boolean number = name.matches("[0-9]{1,10}");
    return new ImageMessages.Image(
        image.id().toString(),
        image.repoTags(),
        image.repoDigests(),
        image.size(),
        number ? Long.valueOf(name) : null,
        number ? "" : name,
        new ImageSpec("", Map.of(), "", "", ""),
        false);
  }
}
