package io.ocicat.conformance.lab;

import io.ocicat.cni.Result;
import org.jspecify.annotations.Nullable;

/**
 * What plugins are called for.
 *
 * @param number tells the containers of one host apart
 * @param ifName the name its interface is to have
 * @param before how its namespace was when nothing had been done in it
 * @param previous what the plugins before a chained one would have returned; null for other kinds
 */
public record LabContainer(
    int number,
    String id,
    LabNamespace namespace,
    String ifName,
    Snapshot before,
    @Nullable Result previous) {}
