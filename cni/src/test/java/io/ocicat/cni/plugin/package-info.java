@NullMarked
package io.ocicat.cni.plugin;

import org.jspecify.annotations.NullMarked;
