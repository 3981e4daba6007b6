package io.ocicat.cri.message;

import io.ocicat.cri.message.ContainerConfigMessages.ImageSpec;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import io.ocicat.cri.message.StatsMessages.FilesystemUsage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests about images, and their answers. */
public final class ImageMessages {
  private ImageMessages() {}

  /** An image. */
  public record Image(
      String id,
      List<String> repoTags,
      List<String> repoDigests,
      long size,
      @Nullable Long uid,
      String username,
      @Nullable ImageSpec spec,
      boolean pinned)
      implements CriMessage {
    public Image {
      repoTags = List.copyOf(repoTags);
      repoDigests = List.copyOf(repoDigests);
    }

    public static Image read(Fields in) {
      return new Image(
          in.text(1, "id"),
          in.texts(2, "repo_tags"),
          in.texts(3, "repo_digests"),
          in.number(4, "size"),
          in.wrapped(5, "uid"),
          in.text(6, "username"),
          in.message(7, "spec", ImageSpec::read),
          in.flag(8, "pinned"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, id)
          .texts(2, repoTags)
          .texts(3, repoDigests)
          .number(4, size)
          .wrapped(5, uid)
          .text(6, username)
          .message(7, spec)
          .flag(8, pinned);
    }
  }

  /** Which images to list. */
  public record ImageFilter(@Nullable ImageSpec image) implements CriMessage {
    public static ImageFilter read(Fields in) {
      return new ImageFilter(in.message(1, "image", ImageSpec::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, image);
    }
  }

  /** Asks for all images that match. */
  public record ListImagesRequest(@Nullable ImageFilter filter) implements CriMessage {
    public static ListImagesRequest read(Fields in) {
      return new ListImagesRequest(in.message(1, "filter", ImageFilter::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, filter);
    }
  }

  /** The images that match. */
  public record ListImagesResponse(List<Image> images) implements CriMessage {
    public ListImagesResponse {
      images = List.copyOf(images);
    }

    public static ListImagesResponse read(Fields in) {
      return new ListImagesResponse(in.messages(1, "images", Image::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.messages(1, images);
    }
  }

  /** Asks for one image. */
  public record ImageStatusRequest(@Nullable ImageSpec image, boolean verbose)
      implements CriMessage {
    public static ImageStatusRequest read(Fields in) {
      return new ImageStatusRequest(in.message(1, "image", ImageSpec::read), in.flag(2, "verbose"));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, image).flag(2, verbose);
    }
  }

  /** One image, or none. */
  public record ImageStatusResponse(@Nullable Image image, Map<String, String> info)
      implements CriMessage {
    public ImageStatusResponse {
      info = Map.copyOf(info);
    }

    public static ImageStatusResponse read(Fields in) {
      return new ImageStatusResponse(in.message(1, "image", Image::read), in.map(2, "info"));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, image).map(2, info);
    }
  }

  /** Credentials of a registry. */
  public record AuthConfig(
      String username,
      String password,
      String auth,
      String serverAddress,
      String identityToken,
      String registryToken)
      implements CriMessage {
    public static AuthConfig read(Fields in) {
      return new AuthConfig(
          in.text(1, "username"),
          in.text(2, "password"),
          in.text(3, "auth"),
          in.text(4, "server_address"),
          in.text(5, "identity_token"),
          in.text(6, "registry_token"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, username)
          .text(2, password)
          .text(3, auth)
          .text(4, serverAddress)
          .text(5, identityToken)
          .text(6, registryToken);
    }
  }

  /** Asks for an image of a registry. */
  public record PullImageRequest(
      @Nullable ImageSpec image,
      @Nullable AuthConfig auth,
      @Nullable PodSandboxConfig sandboxConfig)
      implements CriMessage {
    public static PullImageRequest read(Fields in) {
      return new PullImageRequest(
          in.message(1, "image", ImageSpec::read),
          in.message(2, "auth", AuthConfig::read),
          in.message(3, "sandbox_config", PodSandboxConfig::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, image).message(2, auth).message(3, sandboxConfig);
    }
  }

  /** The id of the image. */
  public record PullImageResponse(String imageRef) implements CriMessage {
    public static PullImageResponse read(Fields in) {
      return new PullImageResponse(in.text(1, "image_ref"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, imageRef);
    }
  }

  /** Removes an image with all its names. */
  public record RemoveImageRequest(@Nullable ImageSpec image) implements CriMessage {
    public static RemoveImageRequest read(Fields in) {
      return new RemoveImageRequest(in.message(1, "image", ImageSpec::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, image);
    }
  }

  /** Asks what images use. */
  public record ImageFsInfoRequest() implements CriMessage {
    public static ImageFsInfoRequest read(Fields in) {
      return new ImageFsInfoRequest();
    }

    @Override
    public void write(FieldWriter out) {}
  }

  /** What images use. */
  public record ImageFsInfoResponse(
      List<FilesystemUsage> imageFilesystems, List<FilesystemUsage> containerFilesystems)
      implements CriMessage {
    public ImageFsInfoResponse {
      imageFilesystems = List.copyOf(imageFilesystems);
      containerFilesystems = List.copyOf(containerFilesystems);
    }

    public static ImageFsInfoResponse read(Fields in) {
      return new ImageFsInfoResponse(
          in.messages(1, "image_filesystems", FilesystemUsage::read),
          in.messages(2, "container_filesystems", FilesystemUsage::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.messages(1, imageFilesystems).messages(2, containerFilesystems);
    }
  }
}
