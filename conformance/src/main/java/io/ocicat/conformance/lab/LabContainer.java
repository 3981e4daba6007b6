package io.ocicat.conformance.lab;

import io.ocicat.cni.Result;
import org.jspecify.annotations.Nullable;

/**
 * A container that plugins are called for.
 *
 * @param number tells the containers of one host apart
 * @param ifName the name its interface is to have
 * @param before the initial state of its namespace
 * @param previous what the plugins before a chained one would have returned; null for other kinds
 */
public record LabContainer(
    int number,
    String id,
    LabNamespace namespace,
    String ifName,
    Snapshot before,
    @Nullable Result previous) {}
