package io.ocicat.conformance.lab;

import io.ocicat.cni.SpecVersion;
import tools.jackson.databind.node.ObjectNode;

/** A container after a successful ADD: what the plugin answered, and in which version. */
public record AddedContainer(LabContainer container, SpecVersion version, ObjectNode result) {}
