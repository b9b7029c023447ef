{{/* The daemon's image. */}}
{{- define "sakkara.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- end }}

{{/* kube-scheduler's image: without a tag, of the version of the cluster. A newer one than the cluster is refused: it
would use kinds that the API server does not serve. */}}
{{- define "sakkara.schedulerImage" -}}
{{- $cluster := regexFind "^v[0-9]+[.][0-9]+[.][0-9]+" .Capabilities.KubeVersion.Version -}}
{{- $tag := .Values.scheduler.image.tag | default $cluster -}}
{{- $minor := regexFind "^v?1[.][0-9]+" $tag | trimPrefix "v" -}}
{{- $served := regexFind "^v1[.][0-9]+" $cluster | trimPrefix "v" -}}
{{- if and $minor (semverCompare (printf "> %s" $served) $minor) }}
{{- fail (printf "scheduler.image.tag is %s, and the cluster is %s: a scheduler must not be newer than its API server. Leave the tag empty, or see: helm show values" $tag $cluster) }}
{{- end -}}
{{ .Values.scheduler.image.repository }}:{{ $tag }}
{{- end }}

{{/* sakkara.yaml: as it is shipped, comments too, and merged with the value `config` where that has keys. */}}
{{- define "sakkara.config" -}}
{{- $shipped := tpl (.Files.Get "files/sakkara.yaml") . -}}
{{- if .Values.config -}}
{{ mustMergeOverwrite (fromYaml $shipped) .Values.config | toYaml }}
{{- else -}}
{{ $shipped }}
{{- end }}
{{- end }}

{{/* What the pods read from their ConfigMap; its sum is on the pods. */}}
{{- define "sakkara.data" -}}
{{ include "sakkara.config" . | trim }}
{{ tpl (.Files.Get "files/scheduler.yaml") . | trim }}
{{ .Files.Get "files/scheduler.kubeconfig" | trim }}
{{- end }}

{{/* Arguments of modules that are on. They are no text of the ConfigMap, so that components of kustomize can add theirs
side by side. */}}
{{- define "sakkara.options" -}}
{{- if eq .Values.gate.mode "webhook" }}
- --set=gate.listen=0.0.0.0:9443
- --set=gate.certFile=/var/run/sakkara/gate/tls.crt
- --set=gate.keyFile=/var/run/sakkara/gate/tls.key
{{- end }}
{{- if .Values.spotmix.enabled }}
- --set=spotmix.enabled=true
- --set=spotmix.listen=0.0.0.0:9664
{{- end }}
{{- if .Values.ocm.enabled }}
- --set=ocm.enabled=true
{{- end }}
{{- if .Values.karmada.enabled }}
- --set=karmada.enabled=true
{{- end }}
{{- if .Values.metrics }}
- --set=metrics.listen=0.0.0.0:9665
{{- end }}
{{- end }}
