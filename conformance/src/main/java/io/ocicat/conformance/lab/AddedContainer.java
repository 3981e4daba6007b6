package io.ocicat.conformance.lab;

import io.ocicat.cni.SpecVersion;
import tools.jackson.databind.node.ObjectNode;

/** A container after a successful ADD, with the plugin's result and its version. */
public record AddedContainer(LabContainer container, SpecVersion version, ObjectNode result) {}
