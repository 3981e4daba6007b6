@NullMarked
package io.ocicat.agent.bgp;

import org.jspecify.annotations.NullMarked;
